package config

import "time"

// Setting describes one setting, for flags and for help.
type Setting struct {
	Key       string // in the TOML file: base_url
	Flag      string // on the command line, without dashes: base-url
	Env       string // in the environment: ALCOVE_BASE_URL
	ValueType ValueType
	Default   string   // as it would be written on the command line
	Help      string   // one or two sentences
	Group     string   // the heading that it stands under
	Of        []string // the only values of a text, nil for any
	Again     bool     // SIGHUP has a server read it again
}

// Settings lists every setting in the order of config.example.toml. The value of
// a flag goes to Load as the text that was written; only a Switch may stand
// without a value, which means "true".
func Settings() []Setting {
	var list []Setting
	for _, g := range new(Config).groups() {
		for _, f := range g.fields {
			list = append(list, Setting{
				Key: f.key, Flag: flagName(f.key), Env: envName(f.key),
				ValueType: f.valueType(), Default: f.def, Help: f.help, Again: f.again,
				Group: g.title, Of: f.of,
			})
		}
	}
	return list
}

// group is a run of settings under one heading in config.example.toml.
type group struct {
	title  string
	fields []field
}

const (
	kib = 1 << 10
	mib = 1 << 20
	tib = 1 << 40
	day = 24 * time.Hour

	maxEntries = 1_000_000 // of a list that an item has
)

// groups is the table of settings. It is the only place that knows a key, its
// default, its bounds and its meaning. The fields point into c.
func (c *Config) groups() []group {
	return []group{
		{"Where the data is, and where the server listens", []field{
			{key: "data", at: &c.Data, def: "./alcove-data", fix: neededPath,
				help: "The directory that holds everything the repository keeps. A relative path starts at the working directory of the server."},
			{key: "repository", at: &c.Repository, fix: repositoryID,
				help: "The id of the repository in data, as DIR/repository.json has it: the server opens that one or none, so a directory that is empty because a disk is not mounted is refused. Empty means whichever is there, and a new one where none is."},
			{key: "listen", at: &c.Listen, def: "127.0.0.1:8443", fix: listenAddress,
				help: "Host and port to listen on. An empty host means every network interface; port 0 takes a free port."},
			{key: "tls", at: &c.TLS, def: "auto", of: []string{"auto", "files", "acme", "off"},
				help: `How connections are encrypted: "auto" makes a certificate from a local authority kept in the data directory, "files" uses tls_cert and tls_key, "acme" obtains and renews one for acme_domains, "off" speaks plain HTTP and is allowed only on loopback or with trusted_proxies set.`},
			{key: "tls_cert", at: &c.TLSCert, fix: localPath, again: true,
				help: "PEM file with the server's certificate and its chain, read again when it changes. Used when tls is \"files\"."},
			{key: "tls_key", at: &c.TLSKey, fix: localPath, again: true,
				help: "PEM file with the private key of tls_cert. Used when tls is \"files\"."},
			{key: "hsts", at: &c.HSTS, def: "0s", max: int64(2 * 366 * day),
				help: "For how long browsers shall use nothing but HTTPS for this host, told with every answer (Strict-Transport-Security); 0 tells nothing. It cannot be taken back before it ends."},
			{key: "metrics_listen", at: &c.MetricsListen, fix: metricsAddress,
				help: "Host and port, on loopback, where metrics stand at /metrics, over plain HTTP, without a token; port 0 takes a free port. Empty turns them off."},
			{key: "trusted_proxies", at: &c.TrustedProxies,
				help: "Addresses or networks (CIDR) of the reverse proxies whose X-Forwarded headers are believed. Requests from anywhere else keep the address they came from."},
		}},
		{"Certificates by ACME, when tls is \"acme\"", []field{
			{key: "acme_domains", at: &c.ACME.Domains, fix: publicName,
				help: "The host names to obtain certificates for; others are refused. The first is the host of base_url where that is empty."},
			{key: "acme_accept_terms", at: &c.ACME.AcceptTerms, def: "false",
				help: "Says that you agree to the terms of service of the ACME server. It has to be true; the log names their address."},
			{key: "acme_email", at: &c.ACME.Email, fix: email,
				help: "Where the ACME server writes to when something is wrong with a certificate. Empty tells it no address."},
			{key: "acme_directory", at: &c.ACME.Directory, def: "https://acme-v02.api.letsencrypt.org/directory", fix: directory,
				help: "The address of the directory of the ACME server: Let's Encrypt's, or that of another authority such as your institution's."},
			{key: "acme_ca", at: &c.ACME.CA, fix: localPath,
				help: "PEM file with the authority behind the HTTPS of acme_directory, for servers inside an institution. Empty means those that the system trusts."},
			{key: "acme_eab_key_id", at: &c.ACME.KeyID,
				help: "Key identifier of the external account binding, where the authority gave you one. Empty means none."},
			{key: "acme_eab_key_file", at: &c.ACME.KeyFile, fix: localPath,
				help: "File with the HMAC key of acme_eab_key_id, in base64url as the authority gave it. It is read at the start."},
			{key: "acme_http_listen", at: &c.ACME.HTTPListen, fix: challengeAddress,
				help: "Host and port, such as :80, that answer challenges over plain HTTP, and nothing else. Empty answers them on the main listener only, which must then be reached at port 443."},
		}},
		{"Public addresses", []field{
			{key: "base_url", at: &c.BaseURL, fix: apiAddress,
				help: "The address under which clients reach the server, without /v2. Empty derives it from the listener and tls."},
			{key: "site_url", at: &c.SiteURL, fix: webAddress,
				help: "The address of the pages for people. Empty means base_url."},
			{key: "download_base_url", at: &c.DownloadBaseURL, fix: webAddress,
				help: "The address from which files are downloaded; another host name than base_url keeps uploaded content away from people's sessions. Empty means base_url."},
			{key: "upload_base_url", at: &c.UploadBaseURL, fix: webAddress,
				help: "The address under which the parts of files are uploaded. Empty means base_url followed by /upload."},
			{key: "allowed_hosts", at: &c.AllowedHosts, fix: allowedHost,
				help: "Further host names and IP addresses under which clients may reach the server, without ports: a name that a proxy passes on, the name of a container, an address behind a port mapping. Requests for hosts other than these, the hosts of the addresses above, listen and acme_domains, and loopback names are refused with 421."},
		}},
		{"The repository", []field{
			{key: "repository_name", at: &c.RepositoryName, def: "Alcove", fix: notEmpty,
				help: "The name of the repository, shown on its pages and as the publisher in citations."},
			{key: "site_text", at: &c.SiteText, again: true,
				help: "What the first page says below the name, in a sentence or two. Empty says what a repository is for."},
			{key: "site_logo", at: &c.SiteLogo, fix: localPath, again: true,
				help: "PNG or SVG file, 256 KiB at most, shown at the top of every page 40 pixels high. Empty shows the name."},
			{key: "site_accent", at: &c.SiteAccent, fix: lightAccent, again: true,
				help: "The colour of links and buttons, such as #0b5c66, which it is when this is empty. One that cannot be read is refused, with a shade that can."},
			{key: "site_accent_dark", at: &c.SiteAccentDark, fix: darkAccent, again: true,
				help: "The same for readers who ask for dark pages. Empty means a light shade of site_accent."},
			{key: "site_links", at: &c.SiteLinks, fix: footerLink, again: true,
				help: "Links at the foot of every page, each as words with an address behind them: \"Our library https://library.example.org/\"."},
			{key: "site_groups", at: &c.SiteGroups, def: "false", again: true,
				help: "Whether the pages name the groups of public items to everyone. Otherwise they are numbers, as in the API."},
			{key: "site_embed", at: &c.SiteEmbed, def: "false", again: true,
				help: "Whether other sites may show items in a frame: a small card at /embed/articles/{id} and /embed/collections/{id}."},
			{key: "institution_name", at: &c.InstitutionName,
				help: "The name of the institution that runs the repository. Empty means repository_name."},
			{key: "institution_domain", at: &c.InstitutionDomain, fix: domain,
				help: "The internet domain of the institution, such as example.org. Empty means none."},
			{key: "oai_domain", at: &c.OAIDomain, fix: domain,
				help: "The name in the identifiers under which items are harvested by OAI-PMH, as oai:NAME:article/1; changed later, every record is a new one to harvesters. Empty means the host of site_url."},
			{key: "doi_prefix", at: &c.DOIPrefix, def: "10.5072/alcove", fix: doiPrefix,
				help: "What the DOIs given to items begin with: a registered prefix, a slash and a short name. The prefix 10.5072 is reserved for tests, so such DOIs do not resolve."},
			{key: "doi_group_prefixes", at: &c.DOI.GroupPrefixes, fix: groupDOIPrefix,
				help: "Other prefixes for the DOIs of groups, each as the id of a group and what is in place of doi_prefix: \"3=10.1234/physics\". They hold for the groups below it too, and an item keeps the DOI that it has."},
			{key: "doi_registrar", at: &c.DOI.Registrar, def: "none", of: []string{"none", "datacite"},
				help: `Who registers the DOIs under doi_prefix and doi_group_prefixes: "datacite" is told in the background of each that becomes public. With "none" DOIs lead nowhere, and citations name the page of the item.`},
			{key: "doi_account", at: &c.DOI.Account,
				help: "The account of the repository at the registrar, such as ORG.REPO."},
			{key: "doi_password_file", at: &c.DOI.PasswordFile, fix: localPath,
				help: "File with the password of doi_account, read again for each request."},
			{key: "doi_test", at: &c.DOI.Test, def: "false",
				help: "Whether to use the registrar's system for tests, whose DOIs resolve nowhere else. Otherwise base_url must be an https address that others reach, as a DOI leads there for good."},
			{key: "doi_taken_over", at: &c.DOI.TakenOver, fix: registeredPrefix,
				help: "Prefixes such as 10.1234 of other repositories that this one has taken over. Items that bring such DOIs from there become its own when they are loaded, and are harvested and registered."},
			{key: "doi_address", at: &c.DOI.Address, fix: webAddress,
				help: "The address of the registrar's API. Empty means https://api.datacite.org, with doi_test https://api.test.datacite.org."},
			{key: "handle_prefix", at: &c.HandlePrefix, def: "123456789/alcove", fix: handlePrefix,
				help: "What the handles given to items begin with: a registered prefix, a slash and a short name. The prefix 123456789 is a placeholder without an owner."},
		}},
		{"Answers of the API", []field{
			{key: "profile", at: &c.Profile, def: "none", of: []string{"none", "figshare"},
				help: `"figshare" is for clients that were generated from the public description of the API and insist on its types: texts, ids and timelines without a value are \"\", 0 and {} rather than null, the owner of an article is its first author, searches in own items take the orders of public ones, too, and numbers of searches may be texts of digits. It decides blank_strings and owner_is_author.`},
			{key: "blank_strings", at: &c.BlankStrings, def: "null", of: []string{"null", "empty"},
				help: `How a text without a value is written in JSON: "null", or "empty" for generated clients that insist on a string.`},
			{key: "owner_is_author", at: &c.OwnerIsAuthor, def: "false",
				help: "Whether the owner of a new article becomes its first author. Otherwise the body of an article names its authors."},
			{key: "files_in_detail", at: &c.FilesInDetail, def: "1000", min: 1, max: 100_000,
				help: "How many files the detailed view of an article holds at most. The list of files has all of them, page by page."},
		}},
		{"Limits for people and their data", []field{
			{key: "max_body", at: &c.MaxBody, def: "1MiB", min: 4 * kib, max: 64 * mib,
				help: "The largest JSON body of a request. File content is sent in parts and does not count."},
			{key: "max_file_size", at: &c.MaxFileSize, def: "1TiB", max: 1024 * tib, again: true,
				help: "The largest file that may be uploaded; 0 sets no limit. The quota of the account holds as well."},
			{key: "account_quota", at: &c.AccountQuota, def: "20GiB", max: 1024 * 1024 * tib, again: true,
				help: "How much a new account may store: its files, and what the metadata of an item has beyond 16 KiB; 0 sets no limit. It can be changed for each account."},
			{key: "files_per_article", at: &c.FilesPerArticle, def: "100000", min: 1, max: 10_000_000, again: true,
				help: "How many files one article may have."},
			{key: "authors_per_item", at: &c.AuthorsPerItem, def: "5000", max: maxEntries,
				help: "How many authors one article or collection may have; 0 sets no limit here and below. One that has more, because the limit was another one, stays readable and can be shortened."},
			{key: "references_per_item", at: &c.ReferencesPerItem, def: "5000", max: maxEntries,
				help: "How many references, and how many related materials, one item may have."},
			{key: "tags_per_item", at: &c.TagsPerItem, def: "5000", max: maxEntries,
				help: "How many tags one item may have."},
			{key: "funding_per_item", at: &c.FundingPerItem, def: "1000", max: maxEntries,
				help: "How many grants the funding_list of one item may have."},
			{key: "categories_per_item", at: &c.CategoriesPerItem, def: "1000", max: maxEntries,
				help: "How many categories one item may be in."},
			{key: "custom_values_per_item", at: &c.CustomValuesPerItem, def: "5000", max: maxEntries,
				help: "How many values the custom fields of one item may have together."},
			{key: "members_per_project", at: &c.MembersPerProject, def: "1000", max: maxEntries,
				help: "How many members and invitations one project may have."},
			{key: "articles_per_collection", at: &c.ArticlesPerCollection, def: "100000", max: 10_000_000,
				help: "How many articles one collection may have."},
			{key: "upload_expiry", at: &c.UploadExpiry, def: "168h", min: int64(time.Hour), max: int64(366 * day),
				help: "How long an unfinished upload is kept after its last part arrived. Then its space is given back."},
			{key: "disk_reserve", at: &c.DiskReserve, def: "1GiB", max: 1024 * tib, again: true,
				help: "How much of the disk uploads leave free. An upload that would not fit beside what others have announced is refused before a byte of it is sent."},
			{key: "disk_floor", at: &c.DiskFloor, def: "64MiB", max: 1024 * tib,
				help: "When less of the disk than this is free, nothing is stored any more: requests are answered with 507 until there is space again. Reading and deleting go on."},
			{key: "sweep_grace", at: &c.SweepGrace, def: "24h", min: int64(time.Hour), max: int64(366 * day),
				help: "How long the bytes of deleted files stay on the disk. Then they are removed, unless something needs them again."},
			{key: "sweep_share", at: &c.SweepShare, def: "10", min: 1, max: 100,
				help: "How many percent of all stored files, ten files at least, may be removed at a time because nothing needs them any more. When there are more none is removed before alcove sweep allow, and the log and the metrics say so."},
			{key: "clock_ahead", at: &c.ClockAhead, def: "9600h", min: int64(time.Hour), max: int64(100 * 366 * day),
				help: "How far the clock may be ahead of the last change when the server starts. With one that is further ahead, or behind, it starts and says so, and what time alone would end for good waits for alcove clock accept."},
			{key: "check_every", at: &c.CheckEvery, def: "720h", max: int64(366 * day),
				help: "How often everything that is stored is read again and compared with its checksums, in the background; 0 is never. See alcove check status."},
			{key: "check_rate", at: &c.CheckRate, def: "16MiB", max: tib,
				help: "How much such a check reads a second at most; 0 sets no limit."},
		}},
		{"Connections", []field{
			{key: "max_header_bytes", at: &c.MaxHeaderBytes, def: "32KiB", min: 4 * kib, max: mib,
				help: "The largest request line and headers together. A longer one is answered with 431."},
			{key: "header_timeout", at: &c.HeaderTimeout, def: "10s", min: int64(time.Second), max: int64(time.Hour),
				help: "How long a client may take to send the headers of a request."},
			{key: "read_timeout", at: &c.ReadTimeout, def: "10m", max: int64(day),
				help: "How long a client may take to send the whole body of a request; 0 sets no limit. Parts of files may take longer, see stall_timeout."},
			{key: "stall_timeout", at: &c.StallTimeout, def: "1m", min: int64(time.Second), max: int64(time.Hour),
				help: "How long a transfer may stand still before it is cut off: an upload must bring, and a download take, 64 KiB in this time. However long it takes as a whole, it may go on."},
			{key: "idle_timeout", at: &c.IdleTimeout, def: "2m", min: int64(time.Second), max: int64(day),
				help: "How long a connection is kept open between two requests."},
			{key: "shutdown_timeout", at: &c.ShutdownTimeout, def: "10s", max: int64(time.Hour),
				help: "How long running requests may finish when the server is told to stop. After that they are cut off."},
			{key: "max_connections", at: &c.MaxConnections, def: "0", max: 1_000_000, again: true,
				help: "How many connections there may be at a time; what comes beyond is closed at once. 0 means half of the file descriptors that the process may open, at most 10000."},
			{key: "max_connections_per_address", at: &c.MaxPerAddress, def: "0", max: 1_000_000, again: true,
				help: "How many of them may come from one address (of IPv6: from one /64 network); trusted_proxies and loopback are not counted. 0 means a quarter of max_connections."},
			{key: "rate_limit", at: &c.RateLimit, def: "0", max: 1_000_000, again: true,
				help: "How many requests a second an account, and without one an address, may go on sending. What comes too fast is answered with 429; 0 sets no limit."},
			{key: "rate_burst", at: &c.RateBurst, def: "100", min: 1, max: 1_000_000, again: true,
				help: "How many requests may come at once before rate_limit holds."},
			{key: "page_rate", at: &c.PageRate, def: "60", max: 1_000_000, again: true,
				help: "How many pages for people a second one address may go on asking for, besides rate_limit. What comes too fast is answered with 429; 0 sets no limit."},
			{key: "page_burst", at: &c.PageBurst, def: "600", min: 1, max: 1_000_000, again: true,
				help: "How many pages may be asked for at once before page_rate holds."},
			{key: "max_wrong_tokens", at: &c.WrongTokens, def: "60", min: 1, max: 1_000_000, again: true,
				help: "How many wrong tokens a minute one address may send. Further wrong ones are answered with 429; right ones go on working."},
			{key: "max_wrong_passwords", at: &c.WrongPasswords, def: "20", min: 1, max: 1_000_000, again: true,
				help: "How many wrong passwords a minute one address may send. After that it has to wait, also with a right one."},
			{key: "session_idle", at: &c.SessionIdle, def: "168h", min: int64(10 * time.Minute), max: int64(366 * day),
				help: "How long a person stays signed in with a browser that asks for nothing."},
			{key: "session_end", at: &c.SessionEnd, def: "720h", min: int64(10 * time.Minute), max: int64(366 * day),
				help: "How long a person stays signed in at most; then the password is needed again."},
			{key: "oauth_passwords", at: &c.OAuthPasswords, def: "false",
				help: "Whether applications may get tokens for the mail address and the password of a person (grant_type=password). The person then tells them the password, which opens everything for ever."},
			{key: "agreement_needed", at: &c.AgreementNeeded, def: "false",
				help: "Whether a program is refused to publish (403) as long as its person has not accepted the deposit agreement (pages/agreement.md in the data directory) as it is now. On the pages it always has to be accepted where there is one."},
		}},
		{"Mail", []field{
			{key: "mail_server", at: &c.Mail.Server, fix: mailServer,
				help: "Host and port of the SMTP server that mails are handed to, such as mail.example.org:587. Empty sends no mail: invitations and new passwords need alcove account then."},
			{key: "mail_tls", at: &c.Mail.TLS, def: "starttls", of: []string{"starttls", "tls", "off"},
				help: `How the connection to mail_server is encrypted: "starttls" before anything else is said, "tls" from its first byte (port 465), "off" only to a server on this machine and without mail_user. The server's certificate must name its host.`},
			{key: "mail_from", at: &c.Mail.From, fix: email,
				help: "The address that mails come from. Answers go there, too."},
			{key: "mail_user", at: &c.Mail.User,
				help: "The user to sign in as at mail_server. Empty signs in as nobody."},
			{key: "mail_password_file", at: &c.Mail.PasswordFile, fix: localPath,
				help: "File with the password of mail_user, read again for each mail."},
			{key: "mail_ca", at: &c.Mail.CA, fix: localPath,
				help: "PEM file with the authority behind the certificate of mail_server, for servers inside an institution. Empty means those that the system trusts."},
		}},
		{"Backups", []field{
			{key: "backup_dir", at: &c.BackupDir, fix: absolutePath,
				help: "The directory, an absolute path outside of data and best on another disk, to which the server makes backups by itself. Empty makes none."},
			{key: "backup_every", at: &c.BackupEvery, def: "24h", max: int64(366 * day),
				help: "How long after the beginning of one backup the next one begins, an hour at least; 0 makes none by itself."},
			{key: "backup_keep", at: &c.BackupKeep, def: "30", max: 1_000_000,
				help: "How many snapshots stay in backup_dir: older ones are removed after a complete one was made. 0 keeps all."},
			{key: "backup_reread", at: &c.BackupReread, def: "720h", max: int64(366 * day),
				help: "How long it counts that the bytes of a file in the backups were read and right: each backup reads again what was read longer ago, spread over the second half of that time, before it calls a snapshot complete. 0 reads everything each time."},
			{key: "drill_every", at: &c.DrillEvery, def: "720h", max: int64(366 * day),
				help: "How often the server restores the newest complete snapshot of backup_dir into a scratch directory, reads what came of it and removes it. 0 is never."},
			{key: "drill_dir", at: &c.DrillDir, fix: absolutePath,
				help: "An absolute path: where the scratch directory, alcove-drill, is made. It takes as much room as the repository, beside disk_reserve, or says so; empty means data."},
		}},
		{"Preservation", []field{
			{key: "ocfl_dir", at: &c.OCFLDir, fix: absolutePath,
				help: "The directory, an absolute path outside of data, in which the server keeps everything public as OCFL 1.1, readable without Alcove; files take no further room on the file system of data. Empty keeps nothing."},
		}},
		{"Mirrors", []field{
			{key: "mirror_every", at: &c.MirrorEvery, def: "24h", max: int64(366 * day), again: true,
				help: "How long after the last look at a mirror (alcove mirror add) the server looks again what is new there, ten minutes at least; 0 leaves that to alcove mirror run."},
		}},
		{"Statistics", []field{
			{key: "country_database", at: &c.CountryDatabase, fix: localPath,
				help: "File in MaxMind's format (.mmdb) that tells countries by address, as GeoLite2-Country, so that statistics tell from which countries an item was used; it is read at the start. No address is stored, and empty tells none."},
		}},
		{"Audit", []field{
			{key: "audit_addresses", at: &c.AuditAddresses, def: "short", of: []string{"short", "full", "none"},
				help: `How much of a client's address is stored with a request that was refused, changed something or was an administrator's: "short" its network (24 bits, of IPv6 48), "full" all of it, "none" nothing.`},
			{key: "audit_keep", at: &c.AuditKeep, def: "2160h", min: int64(time.Hour), max: int64(3660 * day),
				help: "For how long such requests, with their addresses, are stored. What was changed, by whom and with which token stays in the change log."},
		}},
		{"Logs", []field{
			{key: "log_format", at: &c.LogFormat, def: "text", of: []string{"text", "json"},
				help: `"text" for people, "json" for machines.`},
			{key: "log_level", at: &c.LogLevel, def: "info", of: []string{"debug", "info", "warn", "error"}, again: true,
				help: "The least important messages that are still logged: debug, info, warn or error."},
		}},
	}
}
