package jobs

import (
	_ "embed"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// class is what kind of program a User-Agent names.
type class int8

const (
	browser class = iota // of a person: regular use
	machine              // a program that a person runs: a script, curl, a library
	robot                // a program that reads by itself: it is not counted
)

// machines are how the names of programs begin that people run. They are looked for before robots, whose list
// has most of them: most downloads of data are made by scripts.
var machines = strings.Fields(`curl/ wget/ wget2/ python python- pooch aiohttp httpx/ urllib3/ fsspec datalad git-annex libwww-perl lwp:: www-mechanize
	java/ apache-httpclient okhttp/ jersey/ go-http-client go-resty rclone/ aria2/ libcurl r-curl rcurl httr httr2 r/ r( julia matlab ruby faraday php/ guzzlehttp
	node axios/ node-fetch undici got( got/ deno/ bun/ dart/ reqwest rust perl/ powershell httpie/ postmanruntime insomnia/ restsharp microsoft-windows-powershell windowspowershell`)

//go:embed robots.txt
var robotList string

// robotWords are the plain texts of the list, in small letters, and robotForms all of its other patterns in one: most of
// them are plain, and to look for a text costs a tenth of what the expression does.
var robotWords, robotForms = readRobots(robotList)

func readRobots(list string) (words []string, forms *regexp.Regexp) {
	var rest []string
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		form, err := syntax.Parse(line, syntax.Perl)
		if err != nil {
			panic(err) // the list is part of the program
		}
		if form.Op == syntax.OpLiteral {
			words = append(words, strings.ToLower(string(form.Rune)))
		} else {
			rest = append(rest, "(?:"+line+")")
		}
	}
	return words, regexp.MustCompile("(?i)" + strings.Join(rest, "|"))
}

// classOf tells what kind of program a User-Agent names. One without a name, or with a letter for one, is
// a program: COUNTER's list has it among the robots.
func classOf(agent string) class {
	agent = strings.ToLower(agent)
	if len(agent) < 2 {
		return machine
	}
	for _, name := range machines {
		if strings.HasPrefix(agent, name) {
			return machine
		}
	}
	agent = strings.ReplaceAll(agent, "cubot", "") // makes telephones
	for _, word := range robotWords {
		if strings.Contains(agent, word) {
			return robot
		}
	}
	if robotForms.MatchString(agent) {
		return robot
	}
	return browser
}

// knownAgents bounds how many User-Agents are remembered with their class: 2 MiB at most.
const knownAgents = 4096

// agents remembers the classes of User-Agents: to tell that of a browser takes 0.1 ms (2 GHz
// Xeon). It is safe for concurrent use.
type agents struct {
	mu    sync.Mutex
	known map[string]class
}

func (a *agents) classOf(agent string) class {
	a.mu.Lock()
	is, ok := a.known[agent]
	a.mu.Unlock()
	if ok {
		return is
	}
	is = classOf(agent)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil || len(a.known) >= knownAgents {
		a.known = map[string]class{}
	}
	a.known[strings.Clone(agent)] = is
	return is
}
