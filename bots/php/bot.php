<?php
// A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
declare(strict_types=1);
ini_set('display_errors', 'stderr'); // stdout is for answers only

/** The moves that are looked at. All are legal; protocol.md tells of more. */
function moves(array $start, array $state): iterable {
    $me = $state['players'][$start['seat']];
    if ($start['game'] === 'doodle') {
        foreach ($state['offer'] as $card) {
            foreach (placements($start['by_id'][$card]['cells'], $me['board']) as $cells) {
                yield ['card' => $card, 'cells' => $cells];
            }
        }
        if ($state['phase'] !== 'start') yield ['pass' => true];
    } elseif ($state['phase'] === 'leather') {
        foreach (placements(['X'], $me['board']) as $cells) {
            yield ['leather' => $cells[0]];
        }
    } else {
        foreach (array_slice($state['circle'], 0, 3) as $patch) {
            if ($start['by_id'][$patch]['buttons'] > $me['buttons']) continue;
            foreach (placements($start['by_id'][$patch]['cells'], $me['board']) as $cells) {
                yield ['buy' => $patch, 'cells' => $cells];
            }
        }
        yield ['advance' => true];
    }
}

/** How good a move is; the first of the best is played. */
function value(array $start, array $state, array $move): int {
    $me = $state['players'][$start['seat']];
    if (isset($move['pass'])) return -1;
    if (isset($move['advance'])) return 0;
    $touching = contact($me['board'], $move['cells'] ?? [$move['leather']]);
    if (!isset($move['buy'])) return $touching;
    $patch = $start['by_id'][$move['buy']];
    $payments = count(array_filter($start['track']['income'], fn($space) => $space > $me['space']));
    $worth = 2 * count($move['cells']) + $payments * $patch['income'] - $patch['buttons'] - $patch['time'];
    return 100 * $worth + $touching;
}

/** How many sides of the cells touch the edge or a covered cell. */
function contact(array $board, array $cells): int {
    $sides = 0;
    foreach ($cells as [$r, $c]) {
        foreach ([[$r - 1, $c], [$r, $c - 1], [$r, $c + 1], [$r + 1, $c]] as [$y, $x]) {
            $sides += (int) ($y < 0 || $y > 8 || $x < 0 || $x > 8 || $board[$y][$x] === '#');
        }
    }
    return $sides;
}

/** The distinct rotations and flips of a shape, each moved to the top left corner. */
function orientations(array $shape): array {
    $cells = [];
    foreach ($shape as $r => $row) {
        array_push($cells, ...array_map(fn($c) => [$r, $c], array_keys(str_split($row), 'X', true)));
    }
    $found = [];
    foreach ([$cells, array_map(fn($cell) => [$cell[0], -$cell[1]], $cells)] as $turned) {
        for ($quarter = 0; $quarter < 4; $quarter++) {
            $turned = array_map(fn($cell) => [$cell[1], -$cell[0]], $turned);
            [$top, $left] = [min(array_column($turned, 0)), min(array_column($turned, 1))];
            $moved = array_map(fn($cell) => [$cell[0] - $top, $cell[1] - $left], $turned);
            sort($moved); // arrays of one length are compared from left to right
            $found[] = $moved;
        }
    }
    sort($found);
    return array_unique($found, SORT_REGULAR);
}

/** Every way to lay the shape on empty cells. */
function placements(array $shape, array $board): iterable {
    foreach (orientations($shape) as $cells) {
        [$lowest, $rightmost] = [max(array_column($cells, 0)), max(array_column($cells, 1))];
        for ($top = 0; $top + $lowest < 9; $top++) {
            for ($left = 0; $left + $rightmost < 9; $left++) {
                $spot = array_map(fn($cell) => [$cell[0] + $top, $cell[1] + $left], $cells);
                if (!array_filter($spot, fn($cell) => $board[$cell[0]][$cell[1]] === '#')) {
                    yield $spot;
                }
            }
        }
    }
}

function decide(array $start, array $state): array {
    $moves = iterator_to_array(moves($start, $state), false);
    $values = array_map(fn($move) => value($start, $state, $move), $moves);
    return $moves[array_search(max($values), $values, true)];
}

/** The start message with all its cards or patches by their ids. */
function prepare(array $start): array {
    $deck = $start['cards'] ?? ['starts' => [], 'patches' => $start['patches']];
    $cards = [...$deck['starts'], ...$deck['patches']];
    return [...$start, 'by_id' => array_column($cards, null, 'id')];
}

while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $answer = null; // "fault" and "end" want none
    if ($message['type'] === 'quit') break;
    if ($message['type'] === 'hello') $answer = ['type' => 'hello', 'protocol' => 1, 'name' => 'php'];
    if ($message['type'] === 'start') {
        $start = prepare($message);
        // The seed repeats what mt_rand gives. Uncomment what you use, here and below.
        //mt_srand($start['seed']); // takes 32 bits
        $answer = ['type' => 'ready'];
    }
    if ($message['type'] === 'turn') {
        // The time to search in this turn, and numbers for the record:
        //[$ms, $more] = [$message['time_ms'], $start['limits']['increment_ms'] ?? 0];
        //$budget_ms = (int) min($ms * 9 / 10, isset($start['limits']['match_ms']) ? $ms / 20 + $more : $ms);
        $answer = ['type' => 'move', 'id' => $message['id'], 'move' => decide($start, $message['state'])];
        //$answer['data'] = compact('budget_ms') + ['seed' => $start['seed'], 'chance' => mt_rand() / 2**31];
    }
    if ($answer) fwrite(STDOUT, json_encode($answer) . "\n"); // not held back in a buffer
}
