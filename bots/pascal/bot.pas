{ A bot for both games: it lays patches where they touch most. Write your strategy into `Value`. }
program bot;
{$mode objfpc}{$H+}

uses Math, fpjson, jsonparser, quilt;

{ The moves that are looked at. All are legal; protocol.md tells of more. }
function Moves(Start, State: TJSONObject): TMoves;
var
  Board, Circle: TJSONArray;
  One: TJSONObject;
  I: Integer;
begin
  Result := nil;
  Board := Me(Start, State).Arrays['board'];
  if Start.Strings['game'] = 'doodle' then
  begin
    for I := 0 to State.Arrays['offer'].Count - 1 do
    begin
      One := Find(Start, State.Arrays['offer'].Strings[I]);
      Add(Result, 'card', One.Strings['id'], Placements(CellsOf(One), Board));
    end;
    if State.Strings['phase'] <> 'start' then
      Add(Result, 'pass', '', [nil]);
  end
  else if State.Strings['phase'] = 'leather' then
    Add(Result, 'leather', '', Placements([Cell(0, 0)], Board))
  else
  begin
    Circle := State.Arrays['circle'];
    for I := 0 to Min(3, Circle.Count) - 1 do
    begin
      One := Find(Start, Circle.Strings[I]);
      if One.Integers['buttons'] <= Me(Start, State).Integers['buttons'] then
        Add(Result, 'buy', One.Strings['id'], Placements(CellsOf(One), Board));
    end;
    Add(Result, 'advance', '', [nil]);
  end;
end;

{ How many sides of the cells touch the edge or a covered cell. }
function Contact(Board: TJSONArray; const Cells: TCells): Integer;
var
  One: TCell;
begin
  Result := 0;
  for One in Cells do
    Result := Result + Ord(Covered(Board, One.Row - 1, One.Col)) + Ord(Covered(Board, One.Row, One.Col - 1))
      + Ord(Covered(Board, One.Row, One.Col + 1)) + Ord(Covered(Board, One.Row + 1, One.Col));
end;

{ How good a move is; the first of the best is played. }
function Value(Start, State: TJSONObject; const Move: TMove): Integer;
var
  Mark: TJSONEnum;
  Patch: TJSONObject;
  Payments: Integer = 0;
begin
  if Move.Kind = 'pass' then
    Exit(-1);
  if Move.Kind = 'advance' then
    Exit(0);
  Result := Contact(Me(Start, State).Arrays['board'], Move.Cells);
  if Move.Kind <> 'buy' then
    Exit;
  for Mark in Start.Objects['track'].Arrays['income'] do
    Payments := Payments + Ord(Mark.Value.AsInteger > Me(Start, State).Integers['space']);
  Patch := Find(Start, Move.Id);
  Result := Result + 100 * (2 * Length(Move.Cells) + Payments * Patch.Integers['income']
    - Patch.Integers['buttons'] - Patch.Integers['time']);
end;

function Decide(Start, State: TJSONObject): TMove;
var
  Move: TMove;
  Worth: Integer;
  Most: Integer = Low(Integer);
begin
  for Move in Moves(Start, State) do
  begin
    Worth := Value(Start, State, Move);
    if Worth > Most then
    begin
      Most := Worth;
      Result := Move;
    end;
  end;
end;

var
  Line, Kind: string;
  Start, Message: TJSONObject;
begin
  Start := nil;
  while not Eof do
  begin
    ReadLn(Line);
    Message := GetJSON(Line) as TJSONObject;
    Kind := Message.Strings['type'];
    case Kind of
      'hello': WriteLn('{"type":"hello","protocol":1,"name":"pascal"}');
      'start':
        begin
          Start.Free;
          Start := Message.Clone as TJSONObject;
          WriteLn('{"type":"ready"}');
        end;
      'turn': WriteLn('{"type":"move","id":', Message.Int64s['id'], ',"move":',
        AsJSON(Decide(Start, Message.Objects['state'])), '}');
    end; { "fault" and "end" want no answer }
    Flush(Output);
    Message.Free;
    if Kind = 'quit' then
      Break;
  end;
  Start.Free;
end.
