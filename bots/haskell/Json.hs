-- | A small reader for JSON. It ends the program on what is not JSON; the arena sends nothing of that kind.
module Json (Json (..), parse, (!), (!?), items, text, texts, int, double) where

import Data.Char (chr, isDigit, isHexDigit)
import Data.List (stripPrefix)
import qualified Data.Map.Strict as Map
import Numeric (readHex)

data Json = Null | Bool Bool | Number Double | String String | Array [Json] | Object (Map.Map String Json)

-- | The value of an object's field.
(!) :: Json -> String -> Json
Object fields ! name = Map.findWithDefault (error ("no field " ++ name)) name fields
_ ! name = error ("no object with a field " ++ name)

-- | The value of an object's field, if there is one that is not null.
(!?) :: Json -> String -> Maybe Json
Object fields !? name = case Map.lookup name fields of
  Just Null -> Nothing
  found -> found
_ !? _ = Nothing

items :: Json -> [Json]
items (Array values) = values
items _ = error "not a list"

text :: Json -> String
text (String characters) = characters
text _ = error "not a string"

texts :: Json -> [String]
texts = map text . items

int :: Json -> Int
int (Number number) = round number -- 64 bits, exact below 2^53, as all numbers of the arena are
int _ = error "not a number"

double :: Json -> Double
double (Number number) = number
double _ = error "not a number"

-- | The value that a line holds.
parse :: String -> Json
parse line = case value (skip line) of
  ("", json) -> json
  (rest, _) -> unexpected rest

-- | What is left behind a value, and the value. So with all readers below; they skip the blanks behind it.
value :: String -> (String, Json)
value ('{' : rest) = Object . Map.fromList <$> list '}' member (skip rest)
value ('[' : rest) = Array <$> list ']' value (skip rest)
value ('"' : rest) = String <$> string rest
value rest
  | Just after <- stripPrefix "null" rest = (skip after, Null)
  | Just after <- stripPrefix "true" rest = (skip after, Bool True)
  | Just after <- stripPrefix "false" rest = (skip after, Bool False)
  | (digits, after) <- span (\c -> isDigit c || c `elem` "-+.eE") rest
  , [(number, "")] <- reads digits = (skip after, Number number)
  | otherwise = unexpected rest

-- | The rest of an object or a list, up to its closing mark.
list :: Char -> (String -> (String, a)) -> String -> (String, [a])
list close _ (mark : rest) | mark == close = (skip rest, [])
list close item rest = case item rest of
  (',' : after, first) -> (first :) <$> list close item (skip after)
  (mark : after, first) | mark == close -> (skip after, [first])
  (after, _) -> unexpected after

member :: String -> (String, (String, Json))
member ('"' : rest) | (':' : after, name) <- string rest = (,) name <$> value (skip after)
member rest = unexpected rest

-- | The rest of a string, up to its closing mark.
string :: String -> (String, String)
string ('"' : rest) = (skip rest, "")
string ('\\' : 'u' : rest) = case unit rest of
  ('\\' : 'u' : more, high) -- characters beyond U+FFFF come as two units
    | high `div` 0x400 == 0x36, (after, low) <- unit more, low `div` 0x400 == 0x37 ->
        (chr ((high - 0xD800) * 0x400 + (low - 0xDC00) + 0x10000) :) <$> string after
  (after, single) -> (chr single :) <$> string after
string ('\\' : mark : rest)
  | Just character <- lookup mark (zip "\"\\/bfnrt" "\"\\/\b\f\n\r\t") = (character :) <$> string rest
string (character : rest) | character /= '\\' = (character :) <$> string rest
string rest = unexpected rest

-- | The four digits behind @\\u@.
unit :: String -> (String, Int)
unit rest = case splitAt 4 rest of
  (digits, after) | length digits == 4, all isHexDigit digits -> (after, fst (head (readHex digits)))
  _ -> unexpected rest

skip :: String -> String
skip = dropWhile (`elem` " \t\r\n")

unexpected :: String -> a
unexpected rest = error ("this is not JSON: " ++ take 40 rest)
