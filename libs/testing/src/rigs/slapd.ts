import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../waiting';
import { freePort } from './free-port';

const OTHER_ADDRESS = '127.0.0.2';
const SUFFIX = 'dc=example,dc=org';
const READER = { dn: `cn=reader,${SUFFIX}`, password: 'password-of-the-reader' };
const MANAGER = { dn: `cn=manager,${SUFFIX}`, password: 'password-of-the-manager' };
/** The place of people and groups in specs. */
export const PEOPLE = `ou=people,${SUFFIX}`;
export const GROUPS = `ou=groups,${SUFFIX}`;

/** Certificate and key of a server, as files. */
interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** A person in the directory; the password is `password-of-<name>`. */
export const person = (name: string, more = ''): string => `dn: uid=${name},${PEOPLE}
objectClass: inetOrgPerson
uid: ${name}
cn: ${name.toUpperCase()}
sn: ${name}
mail: ${name}@example.org
userPassword: password-of-${name}
${more}`;

/** A group with members: names of people, or `cn=` and the name of a group. */
export const group = (name: string, members: readonly string[]): string => `dn: cn=${name},${GROUPS}
objectClass: groupOfNames
cn: ${name}
${members.map((member) => `member: ${placeOf(member)}\n`).join('')}`;

export const placeOf = (member: string): string =>
  member.startsWith('cn=') ? `${member},${GROUPS}` : `uid=${member},${PEOPLE}`;

const TOP = `dn: ${SUFFIX}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ${PEOPLE}
objectClass: organizationalUnit
ou: people

dn: ${GROUPS}
objectClass: organizationalUnit
ou: groups

dn: ${READER.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${READER.password}
`;

interface SlapdOptions {
  readonly tls?: ServerCertificate;
  /** Lines of its configuration about its database. */
  readonly lines?: readonly string[];
}

/** Debian's slapd with its own directory, on this machine. */
export class Slapd {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly securePort: number,
    private readonly options: SlapdOptions,
  ) {}

  /** @param entries as LDIF, besides the standard ones; or a server whose entries and ids are copied */
  static async start(entries: readonly string[] | Slapd, options: SlapdOptions = {}): Promise<Slapd> {
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-slapd-'));
    const slapd = new Slapd(directory, await freePort(), await freePort(), options);
    mkdirSync(join(directory, 'data'));
    slapd.configure();
    const file = join(directory, 'entries.ldif');
    if (entries instanceof Slapd) run('slapcat', ['-f', entries.configuration, '-l', file]);
    else writeFileSync(file, [TOP, ...entries].join('\n'));
    run('slapadd', ['-q', '-f', slapd.configuration, '-l', file]);
    await slapd.resume();
    return slapd;
  }

  get url(): string {
    return `ldap://127.0.0.1:${this.port}`;
  }

  get secureUrl(): string {
    return `ldaps://127.0.0.1:${this.securePort}`;
  }

  /** The same server, at an address that its certificate does not cover. */
  get otherSecureUrl(): string {
    return `ldaps://${OTHER_ADDRESS}:${this.securePort}`;
  }

  /** Variables of an instance that reads it without encryption. */
  get env(): Record<string, string> {
    return {
      ...{ LDAP_URLS: this.url, LDAP_START_TLS: 'false', LDAP_USER_BASE: PEOPLE, LDAP_GROUP_BASE: GROUPS },
      ...{ LDAP_BIND_DN: READER.dn, LDAP_BIND_PASSWORD: READER.password },
    };
  }

  /** Changes entries, as `ldapmodify` does. */
  modify(...changes: readonly string[]): void {
    const access = ['-x', '-H', this.url, '-D', MANAGER.dn, '-w', MANAGER.password];
    run('ldapmodify', access, changes.join('\n'));
  }

  /** Lines of its log about operations, such as `SRCH base=`. */
  operations(): string[] {
    return readFileSync(this.log, 'utf8').split('\n');
  }

  /** Writes its configuration with other lines about its database, for its next start. */
  configure(lines: readonly string[] = this.options.lines ?? []): void {
    const { tls } = this.options;
    writeFileSync(
      this.configuration,
      [
        ...['core', 'cosine', 'inetorgperson', 'nis'].map(
          (name) => `include /etc/ldap/schema/${name}.schema`,
        ),
        ...[
          'modulepath /usr/lib/ldap',
          'moduleload back_mdb',
          'loglevel stats',
          `pidfile ${this.directory}/pid`,
        ],
        ...(tls ? [`TLSCertificateFile ${tls.certificate}`, `TLSCertificateKeyFile ${tls.key}`] : []),
        ...['database mdb', `suffix ${SUFFIX}`, `directory ${this.directory}/data`, 'maxsize 1073741824'],
        ...['dbnosync', `rootdn ${MANAGER.dn}`, `rootpw ${MANAGER.password}`],
        ...['index objectClass,entryUUID,uid,cn,member,modifyTimestamp eq', ...lines],
        ...[
          'access to attrs=userPassword by anonymous auth by * none',
          `access to * by dn.exact=${READER.dn} read`,
        ],
        '',
      ].join('\n'),
    );
  }

  /** Ends the process; its directory stays. */
  async halt(): Promise<void> {
    const { child } = this;
    if (!child) return;
    this.child = undefined;
    const ended = new Promise((done) => child.once('close', done));
    child.kill('SIGTERM');
    await ended;
  }

  /** Starts it again. */
  async resume(): Promise<void> {
    const secure = [this.secureUrl, this.otherSecureUrl];
    const addresses = [this.url, ...(this.options.tls ? secure : [])].join(' ');
    const child = spawn('slapd', ['-d', 'stats', '-h', addresses, '-f', this.configuration], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    });
    let failure: Error | undefined;
    child.once('error', (error) => (failure = error));
    child.stderr.on('data', (text: Buffer) => appendFileSync(this.log, text));
    this.child = child;
    await eventually('the start of slapd', () => {
      if (failure) throw failure;
      if (child.exitCode !== null) throw new Error(readFileSync(this.log, 'utf8').slice(-2000));
      return (
        spawnSync('ldapsearch', ['-x', '-H', this.url, '-b', '', '-s', 'base', '-LLL', '1.1']).status === 0
      );
    });
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private get configuration(): string {
    return join(this.directory, 'slapd.conf');
  }

  private get log(): string {
    return join(this.directory, 'log');
  }
}

function run(program: string, given: readonly string[], input = ''): void {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const { status, stderr, error } = spawnSync(program, given, { input, encoding: 'utf8', env });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}
