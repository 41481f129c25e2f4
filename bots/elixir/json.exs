defmodule Json do
  @moduledoc "A small reader and writer for JSON. It raises on what is not JSON, which the arena never sends."

  @doc "The value that a line holds, of maps, lists, strings, numbers, true, false and nil."
  def decode(line) do
    {value, ""} = value(skip(line))
    value
  end

  @doc "A value as JSON. Strings must do without escapes, as ids do."
  def encode(%{} = map),
    do: "{" <> Enum.map_join(map, ",", fn {name, value} -> encode(name) <> ":" <> encode(value) end) <> "}"

  def encode(list) when is_list(list), do: "[" <> Enum.map_join(list, ",", &encode/1) <> "]"
  def encode(text) when is_binary(text), do: "\"" <> text <> "\""
  def encode(nil), do: "null"
  def encode(other), do: to_string(other)

  # All readers below return what they found and what is left behind it; they skip the blanks in between.

  defp value("{" <> rest), do: object(skip(rest), [])
  defp value("[" <> rest), do: list(skip(rest), [])
  defp value("\"" <> rest), do: string(rest, [])
  defp value("true" <> rest), do: {true, skip(rest)}
  defp value("false" <> rest), do: {false, skip(rest)}
  defp value("null" <> rest), do: {nil, skip(rest)}

  defp value(text) do
    case Integer.parse(text) do
      {_, <<mark, _::binary>>} when mark in [?., ?e, ?E] -> number(Float.parse(text))
      integer -> number(integer)
    end
  end

  defp number({number, rest}), do: {number, skip(rest)}

  defp object("}" <> rest, fields), do: {Map.new(fields), skip(rest)}
  defp object("," <> rest, fields), do: object(skip(rest), fields)

  defp object("\"" <> rest, fields) do
    {name, ":" <> rest} = string(rest, [])
    {value, rest} = value(skip(rest))
    object(rest, [{name, value} | fields])
  end

  defp list("]" <> rest, values), do: {Enum.reverse(values), skip(rest)}
  defp list("," <> rest, values), do: list(skip(rest), values)

  defp list(rest, values) do
    {value, rest} = value(rest)
    list(rest, [value | values])
  end

  defp string("\"" <> rest, found), do: {found |> Enum.reverse() |> IO.iodata_to_binary(), skip(rest)}

  defp string(<<"\\u", digits::binary-4, rest::binary>>, found) do
    {character, rest} = character(String.to_integer(digits, 16), rest)
    string(rest, [character | found])
  end

  for {mark, character} <- Enum.zip(~c["\\/bfnrt], ~c["\\/\b\f\n\r\t]) do
    defp string(<<?\\, unquote(mark), rest::binary>>, found), do: string(rest, [unquote(character) | found])
  end

  defp string(<<byte, rest::binary>>, found) when byte != ?\\, do: string(rest, [byte | found])

  # Characters beyond U+FFFF come as two units; a half of one is none.
  defp character(high, <<"\\u", digits::binary-4, rest::binary>> = text) when high in 0xD800..0xDBFF do
    case String.to_integer(digits, 16) do
      low when low in 0xDC00..0xDFFF -> {<<(high - 0xD800) * 0x400 + low - 0xDC00 + 0x10000::utf8>>, rest}
      _ -> {"\uFFFD", text}
    end
  end

  defp character(half, rest) when half in 0xD800..0xDFFF, do: {"\uFFFD", rest}
  defp character(unit, rest), do: {<<unit::utf8>>, rest}

  defp skip(<<blank, rest::binary>>) when blank in [?\s, ?\t, ?\r, ?\n], do: skip(rest)
  defp skip(rest), do: rest
end
