#!/usr/bin/env bash
# A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
# All of it is one program for jq, which is started once and reads line after line. $board has a list of
# booleans for each row; true is an empty cell. No apostrophe may stand between the two quotes.
exec jq --null-input --compact-output --unbuffered '

# The distinct rotations and flips of a shape, each moved to the top left corner.
def orientations:
  [to_entries[] | .key as $r | .value / "" | to_entries[] | select(.value == "X") | [$r, .key]]
  | [(., map([.[0], -.[1]])) | limit(4; recurse(map([.[1], -.[0]])))
      | (map(.[0]) | min) as $top | (map(.[1]) | min) as $left
      | map([.[0] - $top, .[1] - $left]) | sort]
  | unique[];

# Every way to lay a shape on empty cells.
def placements($board):
  orientations
  | (map(.[0]) | max) as $lowest | (map(.[1]) | max) as $rightmost | . as $cells
  | range(9 - $lowest) as $top | range(9 - $rightmost) as $left
  | select(all($cells[]; $board[.[0] + $top][.[1] + $left]))
  | map([.[0] + $top, .[1] + $left]);

# How many sides of the cells touch the edge or a covered cell.
def contact($board):
  [.[] | [.[0] - 1, .[1]], [.[0], .[1] - 1], [.[0], .[1] + 1], [.[0] + 1, .[1]]
    | select(.[0] < 0 or .[1] < 0 or ($board[.[0]][.[1]] | not))]
  | length;

# The moves that are looked at. All are legal; protocol.md tells of more.
def moves($start; $state; $board):
  $state.players[$start.seat] as $me
  | if $start.game == "doodle" then
      ($state.offer[] | {card: ., cells: ($start.by_id[.].cells | placements($board))}),
      (select($state.phase != "start") | {pass: true})
    elif $state.phase == "leather" then
      {leather: (["X"] | placements($board)[0])}
    else
      ($state.circle[:3][] | select($start.by_id[.].buttons <= $me.buttons)
        | {buy: ., cells: ($start.by_id[.].cells | placements($board))}),
      {advance: true}
    end;

# How good a move is; the first of the best is played.
def value($start; $state; $board):
  $state.players[$start.seat] as $me
  | if .pass then -1
    elif .advance then 0
    else
      (.cells // [.leather] | contact($board)) as $touching
      | if .buy then
          $start.by_id[.buy] as $patch
          | ([$start.track.income[] | select(. > $me.space)] | length) as $payments
          | 2 * (.cells | length) + $payments * $patch.income - $patch.buttons - $patch.time
          | 100 * . + $touching
        else $touching end
    end;

def decide($start; $state):
  ($state.players[$start.seat].board | map(explode | map(. == 46))) as $board # 46 is the point
  | reduce moves($start; $state; $board) as $move (null;
      ($move | value($start; $state; $board)) as $value
      | if . == null or $value > .value then {$move, $value} else . end)
  | .move;

# The state between two lines is the start message, with all its cards or patches by their ids.
foreach inputs as $message ({};
  if $message.type == "start" then
    $message | .by_id = INDEX(.cards.starts[]?, (.cards // . | .patches[]); .id)
    # Chance that the seed repeats: a number below 2147483647 for each turn. Uncomment what you use.
    #| .chance = .seed % 2147483646 + 1
  #elif $message.type == "turn" then .chance |= . * 48271 % 2147483647
  else . end;
  if $message.type == "hello" then {type: "hello", protocol: 1, name: "bash"}
  elif $message.type == "start" then {type: "ready"}
  elif $message.type == "turn" then
    . as $start | {type: "move", id: $message.id, move: decide($start; $message.state)}
    # The time to search in this turn, and numbers for the record:
    #| ([$message.time_ms | . * 9 / 10, . / 20 + ($start.limits | select(.match_ms) | .increment_ms)]
    #| min | floor) as $budget_ms
    #| .data = {seed: $start.seed, $budget_ms, chance: ($start.chance / 2147483647)}
  elif $message.type == "quit" then halt
  else empty end) # "fault" and "end" want no answer
'
