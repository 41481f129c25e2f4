(* A bot for both games: it lays patches where they touch most. Write your strategy into [value]. *)

open Yojson.Basic.Util

type cell = int * int (* row and column, both 0 to 8 *)
type patch = { shape : string array; buttons : int; time : int; income : int }
type move = Draw of string * cell list | Pass | Buy of string * cell list | Leather of cell | Advance

(* What is used of the messages; protocol.md tells of more. What a game does not have is 0 or empty. *)
type start = { game : string; seat : int; patches : (string, patch) Hashtbl.t; marks : int list;
               seed : int; match_ms : int option; increment_ms : int }
type state = { phase : string; choice : string list; board : string array; purse : int; space : int }

let all_cells = List.init 81 (fun place -> (place / 9, place mod 9))

(* Whether the rows of a shape or board have the mark at a cell. *)
let has mark rows (r, c) =
  0 <= r && r < Array.length rows && 0 <= c && c < String.length rows.(r) && rows.(r).[c] = mark

(* The distinct rotations and flips of a shape, each moved to the top left corner. *)
let orientations shape =
  let turn = List.map (fun (r, c) -> (c, -r)) and flip = List.map (fun (r, c) -> (r, -c)) in
  let turns cells = [ cells; turn cells; turn (turn cells); turn (turn (turn cells)) ] in
  let corner cells =
    let least pick = List.fold_left min 9 (List.map pick cells) in
    List.sort compare (List.map (fun (r, c) -> (r - least fst, c - least snd)) cells)
  in
  let cells = List.filter (has 'X' shape) all_cells in
  List.sort_uniq compare (List.map corner (turns cells @ turns (flip cells)))

(* Every way to lay the shape on empty cells. *)
let placements shape board =
  let spot cells (top, left) = List.map (fun (r, c) -> (r + top, c + left)) cells in
  let spots cells = List.map (spot cells) all_cells in
  orientations shape |> List.concat_map spots |> List.filter (List.for_all (has '.' board))

(* The moves that are looked at. All are legal; protocol.md tells of more. *)
let moves start state =
  let patch id = Hashtbl.find start.patches id in
  let lay make id = List.map (fun cells -> make id cells) (placements (patch id).shape state.board) in
  if start.game = "doodle" then
    List.concat_map (lay (fun card cells -> Draw (card, cells))) state.choice
    @ if state.phase = "start" then [] else [ Pass ]
  else if state.phase = "leather" then
    List.map (fun cells -> Leather (List.hd cells)) (placements [| "X" |] state.board)
  else
    let sold = List.filteri (fun place id -> place < 3 && (patch id).buttons <= state.purse) state.choice in
    List.concat_map (lay (fun patch cells -> Buy (patch, cells))) sold @ [ Advance ]

(* How many sides of the cells touch the edge or a covered cell. *)
let contact board cells =
  let around (r, c) = [ (r - 1, c); (r, c - 1); (r, c + 1); (r + 1, c) ] in
  List.concat_map around cells |> List.filter (fun cell -> not (has '.' board cell)) |> List.length

(* How good a move is; the first of the best is played. *)
let value start state = function
  | Pass -> -1
  | Advance -> 0
  | Draw (_, cells) -> contact state.board cells
  | Leather cell -> contact state.board [ cell ]
  | Buy (id, cells) ->
      let patch = Hashtbl.find start.patches id in
      let payments = List.length (List.filter (fun mark -> mark > state.space) start.marks) in
      let worth = (2 * List.length cells) + (payments * patch.income) - patch.buttons - patch.time in
      (100 * worth) + contact state.board cells

let decide start state =
  let rated = List.map (fun move -> (-value start state move, move)) (moves start state) in
  snd (List.hd (List.stable_sort (fun (one, _) (other, _) -> compare one other) rated))

let texts json = List.map to_string (to_list json)
let rows json = Array.of_list (texts json)
let number name json = Option.value (to_int_option (member name json)) ~default:0

let read_start message =
  let seat = to_int (member "seat" message) and limits = member "limits" message in
  let match_ms = to_int_option (member "match_ms" limits) and increment_ms = number "increment_ms" limits in
  let cards, marks =
    match (member "cards" message, member "track" message) with
    | cards, `Null -> (flatten [ member "starts" cards; member "patches" cards ], [])
    | _, track -> (to_list (member "patches" message), List.map to_int (to_list (member "income" track)))
  in
  let patch card =
    let shape = rows (member "cells" card) and buttons = number "buttons" card in
    let time = number "time" card and income = number "income" card in
    (to_string (member "id" card), { shape; buttons; time; income })
  in
  { game = to_string (member "game" message); seat; marks; seed = to_int (member "seed" message); match_ms;
    increment_ms; patches = Hashtbl.of_seq (Seq.map patch (List.to_seq cards)) }

let read_state start state =
  let me = index start.seat (member "players" state) in
  let choice = member (if start.game = "doodle" then "offer" else "circle") state |> texts in
  let phase = to_string (member "phase" state) and board = rows (member "board" me) in
  { phase; choice; board; purse = number "buttons" me; space = number "space" me }

let written move : Yojson.Basic.t =
  let cell (r, c) = `List [ `Int r; `Int c ] in
  let cells spot = ("cells", `List (List.map cell spot)) in
  match move with
  | Draw (card, spot) -> `Assoc [ ("card", `String card); cells spot ]
  | Pass -> `Assoc [ ("pass", `Bool true) ]
  | Buy (patch, spot) -> `Assoc [ ("buy", `String patch); cells spot ]
  | Leather spot -> `Assoc [ ("leather", cell spot) ]
  | Advance -> `Assoc [ ("advance", `Bool true) ]

(* Talks to the arena until it says goodbye or its end of the pipe closes. *)
let () =
  let start = ref None in
  let answer fields = print_endline (Yojson.Basic.to_string (`Assoc fields)) (* which flushes *) in
  try
    while true do
      let message = Yojson.Basic.from_string (input_line stdin) in
      match (to_string (member "type" message), !start) with
      | "hello", _ -> answer [ ("type", `String "hello"); ("protocol", `Int 1); ("name", `String "ocaml") ]
      | "start", _ -> (* chance that the seed repeats, time, numbers for the record: uncomment what you use *)
          (*Random.init (to_int (member "seed" message));*)
          start := Some (read_start message); answer [ ("type", `String "ready") ]
      | "turn", Some start ->
          (*let ms = number "time_ms" message and timed = start.match_ms <> None in*)
          (*let budget_ms = min (ms * 9 / 10) (if timed then (ms / 20) + start.increment_ms else ms) in*)
          let move = decide start (read_state start (member "state" message)) in
          answer [ ("type", `String "move"); ("id", member "id" message);
                   (*("data", `Assoc [ ("seed", `Int start.seed); ("budget_ms", `Int budget_ms);*)
                                     (*("chance", `Float (Random.float 1.0)) ]);*)
                   ("move", written move) ]
      | "quit", _ -> raise Exit
      | _ -> () (* "fault" and "end" want no answer *)
    done
  with End_of_file | Exit -> ()
