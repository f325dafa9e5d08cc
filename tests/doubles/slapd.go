package doubles

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/tests/world"
)

// Directory is OpenLDAP's slapd with a few people, as a process of the test.
type Directory struct {
	Plain, TLS string // addresses: ldap:// that offers StartTLS, and ldaps://
	CA         string // PEM file of its certificate
	stop       func()
}

// The account that may search in it, and its password.
const DirectorySearch, DirectoryPassword = "cn=search,dc=example,dc=org", "search secret"

const directoryEntries = `dn: dc=example,dc=org
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: cn=search,dc=example,dc=org
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: search
userPassword: search secret

dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: uid=lovelace,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: lovelace
cn: Ada Lovelace
givenName: Ada
sn: Lovelace
mail: lovelace@example.org
employeeType: staff
userPassword: the engine weaves

dn: uid=new,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: new
cn: New Person
givenName: New
sn: Person
mail: new@example.org
employeeType: staff
departmentNumber: physics
userPassword: the engine weaves

dn: uid=guest,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: guest
cn: Guest
sn: Guest
mail: guest@elsewhere.example
employeeType: guest
userPassword: the engine weaves

dn: uid=twin1,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: twin1
cn: Twin
sn: Twin
mail: twin@example.org
userPassword: the engine weaves

dn: uid=twin2,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: twin2
cn: Twin
sn: Twin
mail: twin@example.org
userPassword: the engine weaves

`

// StartDirectory starts one, and skips the test where Debian's slapd is not installed.
func StartDirectory(t *testing.T) *Directory {
	t.Helper()
	slapd, err := exec.LookPath("/usr/sbin/slapd")
	if err != nil {
		t.Skip("slapd is not installed: apt-get install slapd")
	}
	dir := t.TempDir()
	d := &Directory{CA: filepath.Join(dir, "ca.pem")}
	key := filepath.Join(dir, "key.pem")
	SelfSigned(t, d.CA, key)
	db := filepath.Join(dir, "db")
	if err := os.Mkdir(db, 0o700); err != nil {
		t.Fatal(err)
	}
	conf := fmt.Sprintf(`include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
pidfile %[1]s/pid
TLSCertificateFile %[1]s/ca.pem
TLSCertificateKeyFile %[1]s/key.pem
modulepath /usr/lib/ldap
moduleload back_mdb
sizelimit 100
database mdb
maxsize 10485760
suffix "dc=example,dc=org"
directory %[1]s/db
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="cn=search,dc=example,dc=org" read by self read by * none
`, dir)
	file, entries := filepath.Join(dir, "slapd.conf"), filepath.Join(dir, "people.ldif")
	for name, text := range map[string]string{file: conf, entries: directoryEntries} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	add := exec.Command(slapd, "-T", "add", "-f", file, "-l", entries)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("slapadd: %v: %s", err, out)
	}
	hosts := [2]string{Loopback(FreePort(t)), Loopback(FreePort(t))}
	d.Plain, d.TLS = "ldap://"+hosts[0], "ldaps://"+hosts[1]
	cmd := exec.Command(slapd, "-f", file, "-h", d.Plain+" "+d.TLS, "-d", "0")
	var said world.LockedBuffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { // ends with the process
		defer close(ended)
		cmd.Wait()
	}()
	d.stop = func() {
		cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(world.WaitLimit):
			cmd.Process.Kill()
			<-ended
		}
	}
	t.Cleanup(d.stop)
	for _, host := range hosts {
		world.WaitFor(t, "slapd answers: "+strings.TrimSpace(said.String()), func() bool {
			c, err := net.Dial("tcp", host)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
	}
	return d
}

// Stop ends it.
func (d *Directory) Stop() { d.stop() }
