-- Neovim's own client, without a screen: opens a model with a mistake, goes to a declaration, mends the mistake, and says what it saw.

local out = io.open(vim.env.PLIMSOLL_SAW, "w")
local function say(...)
  out:write(table.concat({ ... }, " "), "\n")
  out:flush()
end

local function shown()
  return vim.diagnostic.get(0)
end

require("plimsoll").setup({ path = vim.env.PLIMSOLL_PROGRAM, settings = { checkOnSave = true, seconds = 20 } })
vim.cmd("filetype on")
vim.cmd("edit " .. vim.fn.fnameescape(vim.env.PLIMSOLL_MODEL))

vim.wait(60000, function() return #shown() > 0 end, 20)
for _, found in ipairs(shown()) do
  say("diagnostic", found.lnum + 1, found.message:gsub("\n.*", ""))
end

local function ask(method, line, column)
  local params = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = line - 1, character = column } }
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

local place = ask("textDocument/definition", 3, 1)
say("definition", place and place[1] and place[1].range.start.line + 1 or "none")
local hover = ask("textDocument/hover", 3, 1)
say("hover", hover and hover.contents.value:match("```promela\n([^\n]*)") or "none")

-- Typed, not loaded: incremental changes go to the server.
vim.api.nvim_buf_set_text(0, 3, 1, 3, 6, { "count" })
vim.wait(60000, function() return #shown() == 0 end, 20)
say("mended", #shown())

vim.cmd("silent write")
vim.wait(60000, function() return #shown() > 0 end, 20)
for _, found in ipairs(shown()) do
  say("verdict", found.lnum + 1, found.message:gsub("\n.*", ""))
end
out:close()
vim.cmd("qa!")
