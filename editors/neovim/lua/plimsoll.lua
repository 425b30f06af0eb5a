-- Promela in Neovim: the language server, and the debugger if nvim-dap is there.
--
--   require("plimsoll").setup({ path = "plimsoll", settings = { seconds = 10 } })

local M = {}

local function attach(buffer, options)
  local name = vim.api.nvim_buf_get_name(buffer)
  local root = vim.fs and vim.fs.dirname(name) or vim.fn.fnamemodify(name, ":h")
  local config = {
    name = "plimsoll",
    cmd = { options.path, "lsp" },
    root_dir = root,
    init_options = options.settings,
    on_attach = options.on_attach,
  }
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buffer })
  end
  -- Before 0.8 whoever starts a client also attaches it. One for each folder will do.
  M.clients = M.clients or {}
  local client = M.clients[root]
  if not client or vim.lsp.client_is_stopped(client) then
    client = vim.lsp.start_client(config)
    M.clients[root] = client
  end
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
  return client
end

local function debugger(options)
  local found, dap = pcall(require, "dap")
  if not found then
    return
  end
  dap.adapters.plimsoll = { type = "executable", command = options.path, args = { "dap" } }
  dap.configurations.promela = {
    { type = "plimsoll", request = "launch", name = "Simulate", program = "${file}" },
    { type = "plimsoll", request = "launch", name = "Counterexample", program = "${file}", question = "" },
  }
end

function M.setup(options)
  options = vim.tbl_extend("keep", options or {}, { path = "plimsoll", settings = {} })
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    pattern = { "*.pml", "*.prom", "*.promela", "*.spin" },
    callback = function(event)
      vim.bo[event.buf].filetype = "promela"
    end,
  })
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "promela",
    callback = function(event)
      vim.bo[event.buf].commentstring = "/* %s */"
      attach(event.buf, options)
    end,
  })
  vim.api.nvim_create_user_command("PlimsollCheck", function()
    local arguments = { vim.uri_from_bufnr(0) }
    vim.lsp.buf_request(0, "workspace/executeCommand", { command = "plimsoll.check", arguments = arguments }, function(error)
      if error then
        vim.notify(error.message, vim.log.levels.ERROR)
      end
    end)
  end, { desc = "Ask Plimsoll everything about this model" })
  debugger(options)
end

return M
