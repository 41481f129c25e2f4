## A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
import std/[algorithm, json, sequtils]

# Chance that the seed repeats, and the milliseconds to search in a turn: uncomment what you use.
#import std/random
#var (chance, budgetMs) = (initRand(1), 0)

type
  Cell = tuple[row, col: int] ## both 0 to 8
  Board = seq[string]         ## 9 strings of 9 characters: '#' covered, '.' empty
  Kind = enum card, pass, buy, advance, leather
  Move = object
    kind: Kind
    id: string # of the card or patch
    cells: seq[Cell]

proc covered(board: Board, r, c: int): bool =
  ## Whether a cell is covered or beyond the edge.
  r notin 0 .. 8 or c notin 0 .. 8 or board[r][c] == '#'

proc moved(cells: seq[Cell], down, right: int): seq[Cell] =
  cells.mapIt((row: it.row + down, col: it.col + right))

proc orientations(shape: seq[string]): seq[seq[Cell]] =
  ## The distinct rotations and flips of a shape, each moved to the top left corner.
  var cells: seq[Cell]
  for r, row in shape:
    for c, mark in row:
      if mark == 'X':
        cells.add (r, c)
  for i in 0 ..< 8: # a turn by 90 degrees each time, but once a flip
    cells = cells.mapIt(if i == 4: (row: it.row, col: -it.col) else: (row: it.col, col: -it.row))
    result.add cells.moved(-min(cells.mapIt(it.row)), -min(cells.mapIt(it.col))).sorted
  result = result.sortedByIt($it).deduplicate(isSorted = true) # single digits sort as text

iterator placements(shape: seq[string], board: Board): seq[Cell] =
  ## Every way to lay the shape on empty cells.
  for cells in orientations(shape):
    for corner in 0 ..< 81:
      let spot = cells.moved(corner div 9, corner mod 9)
      if not spot.anyIt(covered(board, it.row, it.col)):
        yield spot

proc me(start, state: JsonNode): JsonNode =
  ## The player whose seat this bot has.
  state["players"][start["seat"].getInt]

proc patch(start: JsonNode, id: string): JsonNode =
  ## The card or patch with this id.
  let cards = if "cards" in start: start["cards"] else: start
  (cards{"starts"}.getElems & cards["patches"].getElems).filterIt(it["id"].getStr == id)[0]

proc moves(start, state: JsonNode): seq[Move] =
  ## The moves that are looked at. All are legal; protocol.md tells of more.
  let board = me(start, state)["board"].to(Board)
  if start["game"].getStr == "doodle":
    for id in state["offer"].to(seq[string]):
      for cells in placements(start.patch(id)["cells"].to(seq[string]), board):
        result.add Move(kind: card, id: id, cells: cells)
    if state["phase"].getStr != "start":
      result.add Move(kind: pass)
  elif state["phase"].getStr == "leather":
    for cells in placements(@["X"], board):
      result.add Move(kind: leather, cells: cells)
  else:
    let circle = state["circle"].to(seq[string])
    for id in circle[0 ..< min(3, circle.len)]:
      if start.patch(id)["buttons"].getInt <= me(start, state)["buttons"].getInt:
        for cells in placements(start.patch(id)["cells"].to(seq[string]), board):
          result.add Move(kind: buy, id: id, cells: cells)
    result.add Move(kind: advance)

proc contact(board: Board, cells: seq[Cell]): int =
  ## How many sides of the cells touch the edge or a covered cell.
  for cell in cells:
    for (r, c) in [(-1, 0), (0, -1), (0, 1), (1, 0)]:
      result += ord(covered(board, cell.row + r, cell.col + c))

proc value(start, state: JsonNode, move: Move): int =
  ## How good a move is; the first of the best is played.
  if move.kind in {pass, advance}:
    return if move.kind == pass: -1 else: 0
  result = contact(me(start, state)["board"].to(Board), move.cells)
  if move.kind == buy:
    let patch = start.patch(move.id)
    let payments = start["track"]["income"].getElems.countIt(it.getInt > me(start, state)["space"].getInt)
    let price = patch["buttons"].getInt + patch["time"].getInt
    result += 100 * (2 * move.cells.len + payments * patch["income"].getInt - price)

proc decide(start, state: JsonNode): Move =
  var most = low(int)
  for move in moves(start, state):
    let worth = value(start, state, move)
    if worth > most:
      most = worth
      result = move

proc `%`(cell: Cell): JsonNode = %[cell.row, cell.col]

proc `%`(move: Move): JsonNode =
  case move.kind
  of pass, advance: %*{$move.kind: true}
  of leather: %*{"leather": move.cells[0]}
  of card, buy: %*{$move.kind: move.id, "cells": move.cells}

var start = newJNull()
for line in stdin.lines:
  let message = parseJson(line)
  var answer: JsonNode
  case message["type"].getStr
  of "hello":
    answer = %*{"type": "hello", "protocol": 1, "name": "nim"}
  of "start":
    start = message
    #chance = initRand(start["seed"].getBiggestInt)
    answer = %*{"type": "ready"}
  of "turn":
    #let (ms, more) = (message["time_ms"].getInt, start{"limits", "increment_ms"}.getInt)
    #budgetMs = min(ms * 9 div 10, if start{"limits", "match_ms"}.getInt(-1) < 0: ms else: ms div 20 + more)
    answer = %*{"type": "move", "id": message["id"], "move": decide(start, message["state"])}
    #answer["data"] = %*{"seed": start["seed"], "budget_ms": budgetMs, "chance": chance.rand(1.0)}
  of "quit":
    break
  else:
    continue # "fault" and "end" want no answer
  echo answer
  stdout.flushFile
