-- A small reader and writer of JSON. `null` is read as json.null, so that lists keep their length.
local json = {null = setmetatable({}, {__tostring = function() return "null" end})}

local escapes = {b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/"}
local literals = {["true"] = true, ["false"] = false, ["null"] = json.null}

local function fail(at)
  error("no JSON at byte " .. at, 0)
end

-- Each of these reads what begins at a position, and returns it and the position after it.
local value_at

-- What follows a backslash. A surrogate without the other half is kept as it is.
local function escape_at(text, at)
  local high, low = text:match("^u([dD][89abAB]%x%x)\\u([dD][c-fC-F]%x%x)", at)
  if high then
    return utf8.char(0x10000 + (tonumber(high, 16) & 0x3FF) * 0x400 + (tonumber(low, 16) & 0x3FF)), at + 11
  end
  local code = text:match("^u(%x%x%x%x)", at)
  if code then return utf8.char(tonumber(code, 16)), at + 5 end
  return escapes[text:sub(at, at)] or fail(at), at + 1
end

local function string_at(text, at)
  local parts, plain, mark, escape = {}, nil, text:sub(at, at), nil
  if mark ~= '"' then fail(at) end
  at = at + 1
  while true do
    plain, mark, at = text:match('^([^"\\]*)(["\\])()', at)
    if not mark then fail(#text) end
    table.insert(parts, plain)
    if mark == '"' then return table.concat(parts), at end
    escape, at = escape_at(text, at)
    table.insert(parts, escape)
  end
end

-- The members of a list or an object: `member_at` puts one into `result` and returns the position after it.
local function members_at(text, at, close, member_at)
  local result, mark = {}, nil
  local empty = text:match("^%s*%" .. close .. "()", at + 1)
  if empty then return result, empty end
  repeat -- from the bracket or a comma to the next
    at = member_at(result, text:match("^%s*()", at + 1))
    at, mark = text:match("^%s*()([,%" .. close .. "])", at)
    if not mark then fail(#text) end
  until mark == close
  return result, at + 1
end

local function list_at(text, at)
  return members_at(text, at, "]", function(list, from)
    list[#list + 1], from = value_at(text, from)
    return from
  end)
end

local function object_at(text, at)
  return members_at(text, at, "}", function(object, from)
    local key, colon = string_at(text, from)
    object[key], from = value_at(text, text:match("^%s*:%s*()", colon) or fail(colon))
    return from
  end)
end

local readers = {["{"] = object_at, ["["] = list_at, ['"'] = string_at}

function value_at(text, at)
  local reader = readers[text:sub(at, at)]
  if reader then return reader(text, at) end
  local word, after = text:match("^([%w.+-]+)()", at)
  local value = literals[word]
  if value == nil then value = tonumber(word or "") or fail(at) end
  return value, after
end

function json.decode(text)
  local value, at = value_at(text, text:match("^%s*()"))
  if text:match("^%s*()", at) <= #text then fail(at) end
  return value
end

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(mark) return ("\\u%04x"):format(mark:byte()) end) .. '"'
end

-- A number in a form that reads the same again. JSON has none for NaN and the infinite ones.
local function digits(number)
  if number - number ~= 0 then return "null" end
  local text = tostring(math.tointeger(number) or number)
  return tonumber(text) == number and text or ("%.17g"):format(number)
end

-- A table without members, or with the key 1, is a list, and any other an object.
function json.encode(value)
  if type(value) == "string" then return quoted(value) end
  if type(value) == "number" then return digits(value) end
  if type(value) ~= "table" or value == json.null then return tostring(value) end
  local members = {}
  if next(value) == nil or value[1] ~= nil then
    for i, member in ipairs(value) do members[i] = json.encode(member) end
    return "[" .. table.concat(members, ",") .. "]"
  end
  for key, member in pairs(value) do table.insert(members, quoted(key) .. ":" .. json.encode(member)) end
  return "{" .. table.concat(members, ",") .. "}"
end

return json
