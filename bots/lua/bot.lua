-- A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
local json = dofile((arg[0]:match("^.*/") or "") .. "json.lua") -- beside this file
local contact, placements

-- The moves that are looked at. All are legal; protocol.md tells of more.
local function moves(start, state)
  local me, found = state.players[start.seat + 1], {}
  local function lay(how, id)
    for _, cells in ipairs(placements(start.by_id[id].cells, me.board)) do
      table.insert(found, {[how] = id, cells = cells})
    end
  end
  if start.game == "doodle" then
    for _, card in ipairs(state.offer) do lay("card", card) end
    if state.phase ~= "start" then table.insert(found, {pass = true}) end
  elseif state.phase == "leather" then
    for _, cells in ipairs(placements({"X"}, me.board)) do table.insert(found, {leather = cells[1]}) end
  else
    for _, patch in ipairs({table.unpack(state.circle, 1, 3)}) do
      if start.by_id[patch].buttons <= me.buttons then lay("buy", patch) end
    end
    table.insert(found, {advance = true})
  end
  return found
end

-- How good a move is; the first of the best is played.
local function value(start, state, move)
  local me = state.players[start.seat + 1]
  if move.pass then return -1 end
  if move.advance then return 0 end
  local touching = contact(me.board, move.cells or {move.leather})
  if not move.buy then return touching end
  local patch, payments = start.by_id[move.buy], 0
  for _, space in ipairs(start.track.income) do payments = payments + (space > me.space and 1 or 0) end
  local worth = 2 * #move.cells + payments * patch.income - patch.buttons - patch.time
  return 100 * worth + touching
end

local function empty(board, r, c)
  return (board[r + 1] or ""):sub(c + 1, c + 1) == "." -- cells count from 0, Lua from 1
end

-- How many sides of the cells touch the edge or a covered cell.
function contact(board, cells)
  local sides = 0
  for _, cell in ipairs(cells) do
    for _, step in ipairs({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}) do
      if not empty(board, cell[1] + step[1], cell[2] + step[2]) then sides = sides + 1 end
    end
  end
  return sides
end

-- All cells changed by a function of row and column.
local function map(cells, change)
  local result = {}
  for i, cell in ipairs(cells) do result[i] = {change(cell[1], cell[2])} end
  return result
end

-- The distinct rotations and flips of a shape, each moved to the top left corner.
local function orientations(shape)
  local cells, found, seen = {}, {}, {}
  for r, row in ipairs(shape) do
    for c in row:gmatch("()X") do table.insert(cells, {r, c}) end
  end
  for _, turned in ipairs({cells, map(cells, function(r, c) return r, -c end)}) do
    for _ = 1, 4 do
      turned = map(turned, function(r, c) return c, -r end)
      local top, left = math.huge, math.huge
      for _, cell in ipairs(turned) do top, left = math.min(top, cell[1]), math.min(left, cell[2]) end
      local moved = map(turned, function(r, c) return r - top, c - left end)
      table.sort(moved, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
      local text = json.encode(moved)
      if not seen[text] then table.insert(found, moved) end
      seen[text] = true
    end
  end
  table.sort(found, function(a, b) return json.encode(a) < json.encode(b) end) -- single digits sort as text
  return found
end

-- Every way to lay the shape on empty cells.
function placements(shape, board)
  local spots = {}
  for _, cells in ipairs(orientations(shape)) do
    for corner = 0, 80 do
      local spot, fits = map(cells, function(r, c) return r + corner // 9, c + corner % 9 end), true
      for _, cell in ipairs(spot) do fits = fits and empty(board, cell[1], cell[2]) end
      if fits then table.insert(spots, spot) end
    end
  end
  return spots
end

local function decide(start, state)
  local best, most = nil, -math.huge
  for _, move in ipairs(moves(start, state)) do
    local worth = value(start, state, move)
    if worth > most then best, most = move, worth end
  end
  return best
end

io.stdout:setvbuf("line")
local start
for line in io.lines() do
  local msg, answer = json.decode(line), nil
  if msg.type == "quit" then break end
  if msg.type == "hello" then answer = {type = "hello", protocol = 1, name = "lua"} end
  if msg.type == "start" then
    start, answer, msg.by_id = msg, {type = "ready"}, {}
    -- The seed repeats what math.random gives. Uncomment what you use, here and below.
    --math.randomseed(start.seed)
    for _, cards in ipairs(start.cards and {start.cards.starts, start.cards.patches} or {start.patches}) do
      for _, card in ipairs(cards) do start.by_id[card.id] = card end
    end
  end
  if msg.type == "turn" then
    -- The time to search in this turn, and numbers for the record:
    --local ms, match, more = msg.time_ms, tonumber(start.limits.match_ms), start.limits.increment_ms or 0
    --start.budget_ms = math.min(ms * 9 // 10, match and ms // 20 + more or ms)
    answer = {type = "move", id = msg.id, move = decide(start, msg.state)}
    --answer.data = {seed = start.seed, budget_ms = start.budget_ms, chance = math.random()}
  end
  if answer then print(json.encode(answer)) end -- "fault" and "end" want none
end
