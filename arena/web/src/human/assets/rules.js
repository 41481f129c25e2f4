// The rules of the games in a few sentences, for people who play, and the keys of the page.

export const KEYS = [['arrows', 'move the piece in hand'], ['R, wheel', 'turn it'], ['F, right click', 'mirror it'],
  ['L', 'the next place where it fits, turned and mirrored too'], ['Enter, click', 'lay it, then confirm'], ['Esc', 'put it back, take back what is laid'],
  ['C', 'the next piece that a cut leaves'], ['S', 'a single cell'], ['H', 'a hint'], ['?', 'this help']];

export const RULES = {
  doodle: [
    'Everybody draws the card at the token on a sheet of 9 by 9 cells, turned and mirrored as they like. It must not cover what is drawn, and stays drawn.',
    'After six turns a round ends, and the best full rectangle of your sheet scores: its shorter side squared, plus what the other side is longer. After three rounds each empty cell costs a point.',
    'Each special action can be used once. Neighbor: draw a card beside the token instead. Cut: draw a part of the card, along one straight line. Single: shade one more cell. Repeat: use an action a second time.',
    'You may pass instead of drawing, except for the start patch.',
  ],
  patchwork: [
    'Buy one of the three patches in front of the token for buttons and time, and sew it on your quilt of 9 by 9 cells. Or advance to the space in front of the other player: each step earns a button.',
    'The player who is behind on the track moves, so one may move several times.',
    'When you pass a button on the track, you get the income of all your patches. The first at a leather patch gets it: one cell, laid at once.',
    'At the end your buttons count, each empty cell costs 2 points, and the first full square of 7 by 7 cells is worth 7.',
  ],
};
