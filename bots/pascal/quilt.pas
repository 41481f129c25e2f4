{ What the messages say, the cells of a shape, and where it fits. }
unit quilt;
{$mode objfpc}{$H+}{$modeswitch arrayoperators}

interface

uses fpjson;

type
  TCell = record
    Row, Col: Integer; { both 0 to 8 }
  end;
  TCells = array of TCell;
  TSpots = array of TCells;
  TMove = record
    Kind: string; { card, pass, buy, advance or leather }
    Id: string;   { of the card or patch }
    Cells: TCells;
  end;
  TMoves = array of TMove;

function Cell(Row, Col: Integer): TCell;
{ The player whose seat this bot has. }
function Me(Start, State: TJSONObject): TJSONObject;
{ The card or patch with this id. }
function Find(Start: TJSONObject; const Id: string): TJSONObject;
{ The cells of a card or patch. }
function CellsOf(Patch: TJSONObject): TCells;
{ The distinct rotations and flips of a shape, each moved to the top left corner. }
function Orientations(const Shape: TCells): TSpots;
{ Whether a cell is covered or beyond the edge. }
function Covered(Board: TJSONArray; Row, Col: Integer): Boolean;
{ Every way to lay the shape on empty cells. }
function Placements(const Shape: TCells; Board: TJSONArray): TSpots;
{ Adds a move for each of the spots. }
procedure Add(var List: TMoves; const Kind, Id: string; const Spots: TSpots);
{ A move as JSON. }
function AsJSON(const Move: TMove): string;

implementation

uses Math, SysUtils;

function Cell(Row, Col: Integer): TCell;
begin
  Result.Row := Row;
  Result.Col := Col;
end;

function Me(Start, State: TJSONObject): TJSONObject;
begin
  Result := State.Arrays['players'].Objects[Start.Integers['seat']];
end;

function Find(Start: TJSONObject; const Id: string): TJSONObject;
var
  Cards: TJSONObject;
  List: TJSONArray;
  Name: string;
  I: Integer;
begin
  Cards := Start.Get('cards', Start);
  for Name in TStringArray.Create('starts', 'patches') do
  begin
    List := Cards.Get(Name, TJSONArray(nil));
    if List <> nil then
      for I := 0 to List.Count - 1 do
        if List.Objects[I].Strings['id'] = Id then
          Exit(List.Objects[I]);
  end;
  raise Exception.Create('no patch ' + Id);
end;

{ Below 0 if the first of two lists of one length comes first: by row, then by column. }
function Compare(const One, Other: TCells): Integer;
var
  I: Integer;
begin
  for I := 0 to High(One) do
  begin
    Result := One[I].Row - Other[I].Row;
    if Result = 0 then
      Result := One[I].Col - Other[I].Col;
    if Result <> 0 then
      Exit;
  end;
  Result := 0;
end;

function Moved(const Cells: TCells; Down, Right: Integer): TCells;
var
  I: Integer;
begin
  Result := Copy(Cells);
  for I := 0 to High(Result) do
    Result[I] := Cell(Cells[I].Row + Down, Cells[I].Col + Right);
end;

{ Turns the cells by 90 degrees, or flips them, and moves them to the top left corner, in order. }
function Turned(const Cells: TCells; Flip: Boolean): TCells;
var
  Grid: array [0..8, 0..8] of Boolean;
  Old: TCell;
  R, C, Top, Left: Integer;
begin
  FillChar(Grid, SizeOf(Grid), 0);
  Top := 8;
  Left := 8;
  for Old in Cells do
  begin
    R := IfThen(Flip, Old.Row, Old.Col);
    C := 8 - IfThen(Flip, Old.Col, Old.Row);
    Grid[R, C] := True;
    Top := Min(Top, R);
    Left := Min(Left, C);
  end;
  Result := nil;
  for R := 0 to 8 do
    for C := 0 to 8 do
      if Grid[R, C] then
        Result := Result + [Cell(R - Top, C - Left)];
end;

function CellsOf(Patch: TJSONObject): TCells;
var
  Shape: TJSONArray;
  R, C: Integer;
begin
  Shape := Patch.Arrays['cells'];
  Result := nil;
  for R := 0 to Shape.Count - 1 do
    for C := 1 to Length(Shape.Strings[R]) do
      if Shape.Strings[R][C] = 'X' then
        Result := Result + [Cell(R, C - 1)];
end;

function Orientations(const Shape: TCells): TSpots;
var
  Cells: TCells;
  I, K: Integer;
begin
  Cells := Shape;
  Result := nil;
  for I := 0 to 7 do
  begin
    Cells := Turned(Cells, I = 4);
    K := 0;
    while (K < Length(Result)) and (Compare(Result[K], Cells) < 0) do
      Inc(K);
    if (K = Length(Result)) or (Compare(Result[K], Cells) <> 0) then
      Insert(Cells, Result, K);
  end;
end;

function Covered(Board: TJSONArray; Row, Col: Integer): Boolean;
begin
  Result := not (Row in [0..8]) or not (Col in [0..8]) or (Board.Strings[Row][Col + 1] = '#');
end;

function Placements(const Shape: TCells; Board: TJSONArray): TSpots;
var
  Cells, Spot: TCells;
  One: TCell;
  Top, Left: Integer;
  Free: Boolean;
begin
  Result := nil;
  for Cells in Orientations(Shape) do
    for Top := 0 to 8 do
      for Left := 0 to 8 do
      begin
        Spot := Moved(Cells, Top, Left);
        Free := True;
        for One in Spot do
          Free := Free and not Covered(Board, One.Row, One.Col);
        if Free then
          Insert(Spot, Result, Length(Result));
      end;
end;

procedure Add(var List: TMoves; const Kind, Id: string; const Spots: TSpots);
var
  Spot: TCells;
  Move: TMove;
begin
  Move.Kind := Kind;
  Move.Id := Id;
  for Spot in Spots do
  begin
    Move.Cells := Spot;
    Insert(Move, List, Length(List));
  end;
end;

function AsJSON(const Move: TMove): string;
var
  One: TCell;
begin
  if Move.Cells = nil then
    Exit('{"' + Move.Kind + '":true}');
  Result := '';
  for One in Move.Cells do
    Result := Result + Format(',[%d,%d]', [One.Row, One.Col]);
  Delete(Result, 1, 1);
  if Move.Id = '' then
    Exit('{"' + Move.Kind + '":' + Result + '}');
  Result := '{"' + Move.Kind + '":"' + Move.Id + '","cells":[' + Result + ']}';
end;

end.
