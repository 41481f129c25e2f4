## What the messages say, the cells of a shape, and where it fits.
import std/[algorithm, json, sequtils]

type
  Cell* = tuple[row, col: int] ## both 0 to 8
  Board* = seq[string]         ## 9 strings of 9 characters: '#' covered, '.' empty

proc `%`*(cell: Cell): JsonNode =
  ## As the protocol has it.
  %[cell.row, cell.col]

proc me*(start, state: JsonNode): JsonNode =
  ## The player whose seat this bot has.
  state["players"][start["seat"].getInt]

proc patch*(start: JsonNode, id: string): JsonNode =
  ## The card or patch with this id.
  let cards = if "cards" in start: start["cards"] else: start
  for list in ["starts", "patches"]:
    for patch in cards{list}.getElems:
      if patch["id"].getStr == id:
        return patch
  raise newException(KeyError, "no patch " & id)

proc moved(cells: seq[Cell], down, right: int): seq[Cell] =
  for cell in cells:
    result.add (cell.row + down, cell.col + right)

proc before(one, other: seq[Cell]): int =
  ## The order by the first cells that differ.
  for (a, b) in zip(one, other):
    if a != b:
      return cmp(a, b)

proc orientations*(shape: seq[string]): seq[seq[Cell]] =
  ## The distinct rotations and flips of a shape, each moved to the top left corner.
  var cells: seq[Cell]
  for r, row in shape:
    for c, mark in row:
      if mark == 'X':
        cells.add (r, c)
  for i in 0 ..< 8:
    if i == 4:
      cells = cells.mapIt((row: it.row, col: -it.col))
    else: # a turn by 90 degrees
      cells = cells.mapIt((row: it.col, col: -it.row))
    result.add cells.moved(-min(cells.mapIt(it.row)), -min(cells.mapIt(it.col))).sorted
  result = result.sorted(before).deduplicate(isSorted = true)

proc covered*(board: Board, r, c: int): bool =
  ## Whether a cell is covered or beyond the edge.
  r notin 0 .. 8 or c notin 0 .. 8 or board[r][c] == '#'

iterator placements*(shape: seq[string], board: Board): seq[Cell] =
  ## Every way to lay the shape on empty cells.
  for cells in orientations(shape):
    for top in 0 .. 8:
      for left in 0 .. 8:
        let spot = cells.moved(top, left)
        if not spot.anyIt(covered(board, it.row, it.col)):
          yield spot
