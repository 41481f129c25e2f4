## A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
import std/[json, sequtils]
import quilt

type
  Kind = enum card, pass, buy, advance, leather
  Move = object
    kind: Kind
    id: string # of the card or patch
    cells: seq[Cell]

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
  case move.kind
  of pass:
    -1
  of advance:
    0
  of card, leather:
    contact(me(start, state)["board"].to(Board), move.cells)
  of buy:
    let
      patch = start.patch(move.id)
      space = me(start, state)["space"].getInt
      payments = start["track"]["income"].getElems.countIt(it.getInt > space)
      price = patch["buttons"].getInt + patch["time"].getInt
      worth = 2 * move.cells.len + payments * patch["income"].getInt - price
    100 * worth + contact(me(start, state)["board"].to(Board), move.cells)

proc decide(start, state: JsonNode): Move =
  var most = low(int)
  for move in moves(start, state):
    let worth = value(start, state, move)
    if worth > most:
      most = worth
      result = move

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
    answer = %*{"type": "ready"}
  of "turn":
    answer = %*{"type": "move", "id": message["id"], "move": decide(start, message["state"])}
  of "quit":
    break
  else:
    continue # "fault" and "end" want no answer
  echo answer
  stdout.flushFile
