-- SPDX-License-Identifier: GPL-2.0-or-later
-- Collector for OpenWrt's prometheus-node-exporter-lua; belongs in /usr/lib/lua/prometheus-collectors/.
-- Asks sqmd at every scrape, so that the numbers are those of the moment.

-- The exporter serves Prometheus' text format 0.0.4, where TYPE and HELP of a counter carry its _total and there is no UNIT.
local function to_text_format(openmetrics)
  local lines, counter = {}, nil
  for line in openmetrics:gmatch("[^\n]+") do
    local what, name, rest = line:match("^# (%u+) (%S+)(.*)$")
    if what == "TYPE" and rest == " counter" then
      counter = name
    end
    if what and name == counter then
      line = "# " .. what .. " " .. name .. "_total" .. rest
    end
    if what ~= "UNIT" and line ~= "# EOF" then
      lines[#lines + 1] = line
    end
  end
  return table.concat(lines, "\n")
end

local function scrape()
  local pipe = assert(io.popen("sqmd status --openmetrics"))
  local openmetrics = pipe:read("*a")
  pipe:close()
  -- Half a text would be worse than none. The exporter turns the error into node_scrape_collector_success 0.
  if openmetrics:sub(-6) ~= "# EOF\n" then
    error("sqmd status --openmetrics gave no whole answer\n", 0)
  end
  output(to_text_format(openmetrics))
end

return { scrape = scrape }
