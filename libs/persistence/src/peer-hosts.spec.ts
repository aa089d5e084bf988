import fc from 'fast-check';
import { hostOfAddress } from '#federation/protocol';
import { createEmptyDatabase } from '../../testing/src/rigs/test-database';
import { Database } from './database';
import { migrate } from './migrate';
import { MIGRATIONS } from './migrations';
import { HostsOfPartners1764000000025 } from './migrations/0025-hosts-of-partners';
import { PeerTrustRepository } from './repositories/partners/peer-trust.repository';
import { PeerRepository } from './repositories/partners/peer.repository';

const HOST = hostOfAddress('cloud.example.org');

let database: Database;
let drop: () => Promise<void>;
let peers: PeerRepository;
let trust: PeerTrustRepository;

beforeEach(async () => {
  const empty = await createEmptyDatabase();
  drop = empty.drop;
  database = await Database.connect({ url: empty.url, poolSize: 2, applicationName: 'drawbridge specs' });
  peers = new PeerRepository(database);
  trust = new PeerTrustRepository(database);
});
afterEach(async () => {
  await database.close();
  await drop();
});

const query = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  database.dataSource.query(text, values);

describe('trust of a host', () => {
  beforeEach(() => migrate(database));

  it('applies to every address of the host, and may be set for any of them', async () => {
    const known = await peers.ensure(`${HOST}/cloud`);
    await trust.set(HOST, 'denied', 'both');
    expect(await peers.findById(known.id)).toMatchObject({ hostKey: `${HOST}/cloud`, trust: 'denied' });
    for (const address of [HOST, `${HOST}/cloud`, `${HOST}/new`, `${HOST}:80`])
      expect(await peers.regarded(address)).toEqual({ trust: 'denied', outgoingTrust: null });
    expect(await peers.regarded(`${HOST}:8443`)).toBeUndefined();
    expect(await peers.regarded(`other.${HOST}`)).toBeUndefined();
  });

  it('after a rename is the trust of the new host, also for addresses in folders', async () => {
    await peers.ensure(`${HOST}/cloud`);
    const next = await peers.ensure('new.example.org');
    await query('UPDATE peer SET alias_of = $1 WHERE host_key = $2', [next.id, HOST]);
    await trust.set(HOST, 'denied', 'both');
    expect(await peers.find('new.example.org')).toMatchObject({ trust: 'denied' });
    expect(await peers.find(`${HOST}/cloud`)).toMatchObject({ trust: 'denied' });
    expect(await peers.ensure(`${HOST}/later`)).toMatchObject({ trust: 'denied' });
  });

  it('is looked up by the identity that the protocol gives to an address', async () => {
    const part = fc.stringMatching(/^[a-z0-9.[\]:-]{1,20}(:(80|443|8443))?(\/[A-Za-z0-9._~-]{0,8}){0,2}$/);
    await fc.assert(
      fc.asyncProperty(part, async (address) => {
        const [row] = await query('SELECT peer_host($1) AS host', [address]);
        expect(row).toEqual({ host: hostOfAddress(address) });
      }),
      { numRuns: 300 },
    );
  });
});

describe('the rows of one host, at the upgrade that merges them,', () => {
  type HostRules = readonly [trust: string, outgoing?: string | null, signatures?: string | null];

  /** @returns the rules that apply to each host after the upgrade */
  async function upgraded(
    rows: Readonly<Record<string, HostRules>>,
    settings: Readonly<Record<string, string>> = {},
  ) {
    const runner = database.dataSource.createQueryRunner();
    const at = MIGRATIONS.indexOf(HostsOfPartners1764000000025);
    for (const Migration of MIGRATIONS.slice(0, at)) await new Migration().up(runner);
    for (const [host, [said, outgoing = null, signatures = null]] of Object.entries(rows))
      await query('INSERT INTO peer (host_key, trust, outgoing_trust, signatures) VALUES ($1, $2, $3, $4)', [
        host,
        said,
        outgoing,
        signatures,
      ]);
    for (const [key, value] of Object.entries(settings))
      await query(`INSERT INTO setting (app, key, value) VALUES ('federatedfilesharing', $1, $2)`, [
        key,
        value,
      ]);
    await runner.startTransaction();
    await new HostsOfPartners1764000000025().up(runner);
    await runner.commitTransaction();
    await runner.release();
    const found = await query(
      `SELECT h.host_key AS host, h.trust, h.outgoing_trust, h.signatures, string_agg(p.host_key, ' ' ORDER BY p.host_key) AS addresses
       FROM peer p JOIN peer h ON h.id = p.host_id GROUP BY h.id ORDER BY h.host_key`,
    );
    return found.map(({ host, trust: said, outgoing_trust: outgoing, signatures, addresses }) =>
      [host, said, outgoing, signatures, addresses].join(' | '),
    );
  }

  const merges = () =>
    query(`SELECT object_id, detail FROM audit_event WHERE action = 'partner.merge' ORDER BY object_id`);

  it('get the strictest trust of all, which the audit log records', async () => {
    expect(
      await upgraded({
        'a.org': ['trusted'],
        'a.org/x': ['denied'],
        'a.org:8443': ['trusted'],
        'b.org:80': ['allowed'],
        'b.org': ['trusted', 'invited'],
      }),
    ).toEqual([
      'a.org | denied |  |  | a.org a.org/x',
      'a.org:8443 | trusted |  |  | a.org:8443',
      'b.org | allowed | invited |  | b.org b.org:80',
    ]);
    expect(await merges()).toEqual([
      {
        object_id: 'a.org',
        detail: {
          trust: 'denied',
          addresses: [
            { host: 'a.org', trust: 'trusted' },
            { host: 'a.org/x', trust: 'denied' },
          ],
        },
      },
      expect.objectContaining({ object_id: 'b.org' }),
    ]);
  });

  it.each([
    ['allowed', 'unknown'],
    ['denied', 'unknown'],
  ])('count a row without a setting as the default, %s', async (setting, merged) => {
    const rows: Record<string, HostRules> = { 'a.org': ['trusted'], 'a.org/x': ['unknown'] };
    expect(await upgraded(rows, { incoming_default_trust: setting })).toEqual([
      `a.org | ${merged} | unknown |  | a.org a.org/x`.replace('unknown | unknown', 'unknown | '),
    ]);
  });

  it('prefer an invitation to a missing setting only if everybody is allowed', async () => {
    const rows: Record<string, HostRules> = { 'a.org': ['invited'], 'a.org/x': ['unknown'] };
    expect((await upgraded(rows))[0]).toContain('a.org | invited');
  });

  it('demand signatures if one of them did', async () => {
    expect(
      await upgraded({
        'a.org': ['unknown', null, 'checked'],
        'a.org/x': ['unknown', null, 'required'],
        'b.org': ['unknown', null, 'checked'],
        'b.org/x': ['unknown'],
      }),
    ).toEqual(['a.org | unknown |  | required | a.org a.org/x', 'b.org | unknown |  |  | b.org b.org/x']);
  });

  it('keep the only setting of a folder, now for its host', async () => {
    expect(await upgraded({ 'a.org/owncloud': ['trusted', null, 'checked'] })).toEqual([
      'a.org | trusted |  | checked | a.org a.org/owncloud',
    ]);
    expect(await merges()).toEqual([]);
  });

  it('are those of both spellings of an address of IPv4', async () => {
    expect(
      await upgraded({
        '[::ffff:c000:201]': ['trusted'],
        '192.0.2.1': ['denied'],
        '[::ffff:c000:202]:8443/x': ['denied'],
      }),
    ).toEqual([
      '192.0.2.1 | denied |  |  | 192.0.2.1 [::ffff:c000:201]',
      '192.0.2.2:8443 | denied |  |  | 192.0.2.2:8443 192.0.2.2:8443/x',
    ]);
    expect(await peers.find('192.0.2.2:8443/x')).toMatchObject({ trust: 'denied' });
  });
});
