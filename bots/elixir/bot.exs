# A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
Code.require_file("json.exs", __DIR__)

defmodule Bot do
  # start and state are the arena's, as protocol.md has them. Added are start.patches, all cards or patches by
  # id; state.me, the own sheet; and state.free, the set of its empty cells.

  # The moves that are looked at. All are legal; protocol.md tells of more.
  def moves(%{"game" => "doodle"} = start, state) do
    drawings =
      for card <- state["offer"],
          cells <- placements(start.patches[card]["cells"], state.free),
          do: %{"card" => card, "cells" => cells}

    if state["phase"] == "start", do: drawings, else: drawings ++ [%{"pass" => true}]
  end

  def moves(_start, %{"phase" => "leather"} = state) do
    for [cell] <- placements(["X"], state.free), do: %{"leather" => cell}
  end

  def moves(start, state) do
    purchases =
      for patch <- Enum.take(state["circle"], 3),
          start.patches[patch]["buttons"] <= state.me["buttons"],
          cells <- placements(start.patches[patch]["cells"], state.free),
          do: %{"buy" => patch, "cells" => cells}

    purchases ++ [%{"advance" => true}]
  end

  # How good a move is; the first of the best is played.
  def value(_start, _state, %{"pass" => true}), do: -1
  def value(_start, _state, %{"advance" => true}), do: 0
  def value(_start, state, %{"card" => _, "cells" => cells}), do: contact(cells, state.free)
  def value(_start, state, %{"leather" => cell}), do: contact([cell], state.free)

  def value(start, state, %{"buy" => id, "cells" => cells}) do
    patch = start.patches[id]
    payments = Enum.count(start["track"]["income"], &(&1 > state.me["space"]))
    worth = 2 * length(cells) + payments * patch["income"] - patch["buttons"] - patch["time"]
    100 * worth + contact(cells, state.free)
  end

  # How many sides of the cells touch the edge or a covered cell.
  def contact(cells, free) do
    around = for [r, c] <- cells, {dr, dc} <- [{-1, 0}, {0, -1}, {0, 1}, {1, 0}], do: [r + dr, c + dc]
    Enum.count(around, &(&1 not in free))
  end

  def decide(start, state) do
    me = Enum.at(state["players"], start["seat"])
    state = Map.merge(state, %{me: me, free: MapSet.new(marked(me["board"], "."))})
    Enum.max_by(moves(start, state), &value(start, state, &1))
  end

  # The distinct rotations and flips of a shape, each moved to the top left corner.
  def orientations(shape) do
    cells = marked(shape, "X")
    flipped = for [r, c] <- cells, do: [r, -c]

    turned = for side <- [cells, flipped], turns <- 0..3, do: corner(turn(side, turns))
    turned |> Enum.sort() |> Enum.dedup()
  end

  defp turn(cells, 0), do: cells
  defp turn(cells, times), do: turn(for([r, c] <- cells, do: [c, -r]), times - 1)

  defp corner(cells) do
    [top, left] = Enum.zip_with(cells, &Enum.min/1)
    Enum.sort(for [r, c] <- cells, do: [r - top, c - left])
  end

  # Every way to lay the shape on empty cells.
  def placements(shape, free) do
    for cells <- orientations(shape),
        top <- 0..8,
        left <- 0..8,
        spot = for([r, c] <- cells, do: [r + top, c + left]),
        Enum.all?(spot, &(&1 in free)),
        do: spot
  end

  # The cells of a shape or board that have the mark.
  defp marked(rows, mark) do
    for {row, r} <- Enum.with_index(rows), {^mark, c} <- Enum.with_index(String.graphemes(row)), do: [r, c]
  end

  # Talks to the arena until it says goodbye or its end of the pipe closes.
  def run(start \\ nil) do
    line = IO.read(:stdio, :line)
    message = if line == :eof, do: %{"type" => "quit"}, else: Json.decode(line)

    case message["type"] do
      "hello" ->
        answer(%{"type" => "hello", "protocol" => 1, "name" => "elixir"})
        run(start)

      "start" ->
        cards = message["cards"] || %{"starts" => [], "patches" => message["patches"]}
        answer(%{"type" => "ready"})
        # Chance that the seed repeats; uncomment what you use, here and below.
        #:rand.seed(:exsss, message["seed"])
        run(Map.put(message, :patches, Map.new(cards["starts"] ++ cards["patches"], &{&1["id"], &1})))

      "turn" ->
        reply = %{"type" => "move", "id" => message["id"], "move" => decide(start, message["state"])}
        # The time to search in this turn, and numbers for the record:
        #{ms, more} = {message["time_ms"], start["limits"]["increment_ms"] || 0}
        #budget_ms = min(div(ms * 9, 10), if(start["limits"]["match_ms"], do: div(ms, 20) + more, else: ms))
        #data = %{"seed" => start["seed"], "budget_ms" => budget_ms, "chance" => :rand.uniform()}
        #reply = Map.put(reply, "data", data)
        answer(reply)
        run(start)

      "quit" ->
        :ok

      # "fault" and "end" want no answer
      _ ->
        run(start)
    end
  end

  defp answer(message), do: IO.puts(Json.encode(message))
end

Bot.run()
