# A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
require "json"

# The moves that are looked at. All are legal; protocol.md tells of more.
def moves(start, state)
  board, patches = state["players"][start["seat"]]["board"], start["by_id"]
  if start["game"] == "doodle"
    drawn = state["offer"].flat_map do |card|
      placements(patches[card]["cells"], board).map { |cells| { card: card, cells: cells } }
    end
    state["phase"] == "start" ? drawn : drawn + [{ pass: true }]
  elsif state["phase"] == "leather"
    placements(["X"], board).map { |cells| { leather: cells[0] } }
  else
    buttons = state["players"][start["seat"]]["buttons"]
    affordable = state["circle"].first(3).select { |patch| patches[patch]["buttons"] <= buttons }
    bought = affordable.flat_map do |patch|
      placements(patches[patch]["cells"], board).map { |cells| { buy: patch, cells: cells } }
    end
    bought + [{ advance: true }]
  end
end

# How good a move is; the first of the best is played.
def value(start, state, move)
  me = state["players"][start["seat"]]
  return -1 if move[:pass]
  return 0 if move[:advance]

  touching = contact(me["board"], move[:cells] || [move[:leather]])
  return touching unless move[:buy]

  patch = start["by_id"][move[:buy]]
  payments = start["track"]["income"].count { |space| space > me["space"] }
  worth = 2 * move[:cells].size + payments * patch["income"] - patch["buttons"] - patch["time"]
  100 * worth + touching
end

# How many sides of the cells touch the edge or a covered cell.
def contact(board, cells)
  around = cells.flat_map { |r, c| [[r - 1, c], [r, c - 1], [r, c + 1], [r + 1, c]] }
  around.count { |r, c| !r.between?(0, 8) || !c.between?(0, 8) || board[r][c] == "#" }
end

# The distinct rotations and flips of a shape, each moved to the top left corner.
def orientations(shape)
  cells = shape.flat_map.with_index do |row, r|
    row.each_char.with_index.filter_map { |mark, c| [r, c] if mark == "X" }
  end
  found = [cells, cells.map { |r, c| [r, -c] }].flat_map do |turned|
    Array.new(4) do
      turned = turned.map { |r, c| [c, -r] }
      top, left = turned.map(&:first).min, turned.map(&:last).min
      turned.map { |r, c| [r - top, c - left] }.sort
    end
  end
  found.uniq.sort
end

# Every way to lay the shape on empty cells.
def placements(shape, board)
  orientations(shape).flat_map do |cells|
    height, width = cells.map(&:first).max + 1, cells.map(&:last).max + 1
    corners = [*0..9 - height].product([*0..9 - width])
    spots = corners.map { |top, left| cells.map { |r, c| [r + top, c + left] } }
    spots.select { |spot| spot.all? { |r, c| board[r][c] == "." } }
  end
end

def decide(start, state)
  moves(start, state).max_by { |move| value(start, state, move) }
end

# The start message with all its cards or patches by their ids.
def prepare(start)
  cards = start["cards"] ? start["cards"]["starts"] + start["cards"]["patches"] : start["patches"]
  start.merge("by_id" => cards.to_h { |card| [card["id"], card] })
end

def run(name)
  $stdout.sync = true
  start = nil
  $stdin.set_encoding("UTF-8").each_line do |line|
    message = JSON.parse(line)
    case message["type"] # "fault" and "end" want no answer
    when "hello"
      puts JSON.generate(type: "hello", protocol: 1, name: name)
    when "start"
      start = prepare(message)
      # Chance that the seed repeats: uncomment what you use, here and below.
      #start["chance"] = Random.new(start["seed"])
      puts JSON.generate(type: "ready")
    when "turn"
      # The time to search in this turn, and numbers for the record:
      #ms, limits = message["time_ms"], { "increment_ms" => 0 }.merge(start["limits"])
      #start["budget_ms"] = [ms * 9 / 10, limits["match_ms"] ? ms / 20 + limits["increment_ms"] : ms].min
      answer = { type: "move", id: message["id"], move: decide(start, message["state"]) }
      #answer[:data] = { seed: start["seed"], budget_ms: start["budget_ms"], chance: start["chance"].rand }
      puts JSON.generate(answer)
    when "quit"
      break
    end
  end
end

run("ruby")
