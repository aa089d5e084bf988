import { eventually, startGateway } from '#testing';
import { ENCRYPTION_KEY, InboundPartner, offerBody, offerForm } from './inbound-partner';

let partner: InboundPartner;
beforeAll(async () => {
  partner = await InboundPartner.start();
});
afterAll(() => partner?.stop());

const rows = (secretLike: string): Promise<{ name: string; state: string }[]> =>
  partner.gateway.query('SELECT name, state FROM received_share WHERE provider_id LIKE $1 ORDER BY id', [
    secretLike,
  ]);

describe('discovery', () => {
  const COMMON = {
    enabled: true,
    capabilities: [
      'notifications',
      'protocol-object',
      'http-sig',
      'exchange-token',
      'enforce-mfa',
      'invites',
      'invite-wayf',
      'request-share',
      '/invite-accepted',
      'content-changes',
      'seen-shares',
    ],
  };

  it('has OCM 1.4 in the form of the specification', async () => {
    const { http, headers, json } = await partner.get('/.well-known/ocm');
    expect([http, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'User-Agent',
    ]);
    expect(json).toMatchObject({
      ...COMMON,
      apiVersion: '1.4.0',
      endPoint: `${partner.url}/ocm`,
      tokenEndPoint: `${partner.url}/ocm/token`,
    });
    expect(json.resourceTypes[0].protocols).toEqual({
      webdav: '/public.php/webdav/',
      'webdav-receive': { uri: 'relative' },
      'webapp-receive': { targets: ['blank'] },
    });
  });

  it.each([
    ['/ocm-provider', 'curl/8'],
    ['/ocm-provider/', 'ownCloud'],
    ['/ocm-provider/index.php', 'curl/8'],
    ['/.well-known/ocm', 'Nextcloud Server Crawler'],
  ])('has OCM 1.1 with texts only for older readers: %s, %s', async (path, userAgent) => {
    const reply = await fetch(`${partner.url}${path}`, { headers: { 'user-agent': userAgent } });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    const older = { name: 'file', protocols: { webdav: '/public.php/webdav/' } };
    expect(await reply.json()).toMatchObject({
      ...COMMON,
      apiVersion: '1.1.0',
      endPoint: `${partner.url}/ocm`,
      shareTypes: [older],
      resourceTypes: [
        { ...older, shareTypes: ['user'] },
        { name: 'folder', protocols: older.protocols },
      ],
    });
  });

  it.each(['/ocs-provider/', '/ocs-provider'])('names the legacy dialect: %s', async (path) => {
    expect((await partner.get(path)).json).toMatchObject({
      services: { FEDERATED_SHARING: { endpoints: { share: '/ocs/v2.php/cloud/shares' } } },
    });
  });

  it('has no other path and no other verb', async () => {
    expect((await partner.get('/ocm-provider/other')).http).toBe(404);
    expect((await partner.get('/.well-known/other')).http).toBe(404);
    const wrong = await partner.get('/ocm/shares');
    expect([wrong.http, wrong.headers.get('allow'), wrong.text]).toEqual([405, 'POST', '']);
    expect((await partner.get('/ocm/other')).json).toEqual({ message: 'Not found' });
  });

  it('shows that sharing is off in both directions', async () => {
    await partner.gateway.set('files_sharing/incoming_server2server_share_enabled', 'no');
    expect((await partner.get('/ocm-provider/')).json).toMatchObject({ enabled: true });
    await partner.gateway.set('files_sharing/outgoing_server2server_share_enabled', 'no');
    expect((await partner.get('/ocm-provider/')).json).toMatchObject({ enabled: false });
    await partner.gateway.unset('files_sharing/incoming_server2server_share_enabled');
    await partner.gateway.unset('files_sharing/outgoing_server2server_share_enabled');
  });
});

describe('an offer', () => {
  it('is accepted with exactly 201 and a JSON object, and waits for its recipient', async () => {
    const { http, json } = await partner.offer('o-1', 'SecretOfTheFirst');
    expect([http, json]).toEqual([201, { recipientDisplayName: 'alice' }]);
    const { data } = await partner.received('GET', '/pending');
    expect(data).toEqual([
      {
        id: expect.any(Number) as number,
        remote: 'https://cloud.partner.example',
        remote_id: 'o-1',
        share_token: 'SecretOfTheFirst',
        name: '/plan.txt',
        owner: 'rem',
        user: 'alice',
        mountpoint: '{{TemporaryMountPointName#/plan.txt}}',
        accepted: 0,
        description: '',
        owner_display_name: 'Rem',
        sender: 'rem@https://cloud.partner.example',
        sender_display_name: 'Rem',
        verified: false,
      },
    ]);
  });

  it('changes nothing if it is repeated, and gets the same answer', async () => {
    const first = await partner.offer('o-2', 'SecretOfTheSecond');
    const again = await partner.offer('o-2', 'SecretOfTheSecond', { name: 'other.txt' });
    expect([again.http, again.text]).toEqual([first.http, first.text]);
    expect(await rows('o-2')).toEqual([{ name: 'plan.txt', state: 'pending' }]);
  });

  it('is one row even for many simultaneous copies, in any dialect', async () => {
    const copies = Array.from({ length: 200 }, (_, index) =>
      index % 2 === 0
        ? partner.offer('4711', 'SecretOfManyCopies')
        : partner.legacy('', offerForm('4711', 'SecretOfManyCopies')),
    );
    const answers = await Promise.all(copies);
    expect(new Set(answers.map(({ http, text }) => `${http} ${text}`)).size).toBe(2);
    expect(answers[0]!.http).toBe(201);
    expect(answers[1]!.json.ocs.meta.statuscode).toBe(200);
    expect(await rows('4711')).toHaveLength(1);
  });

  it('is one row even if two processes accept the copies', async () => {
    const { databaseUrl } = partner.gateway.gateway;
    const second = await startGateway({ databaseUrl, env: { ENCRYPTION_KEY } });
    try {
      const body = JSON.stringify(offerBody('4712', 'SecretOfTwoProcesses'));
      const headers = { 'content-type': 'application/json' };
      const urls = [partner.url, second.url];
      const copies = Array.from({ length: 100 }, (_, index) =>
        fetch(`${urls[index % 2]}/ocm/shares`, { method: 'POST', headers, body }),
      );
      const answers = await Promise.all((await Promise.all(copies)).map((reply) => reply.text()));
      expect(new Set(answers)).toEqual(new Set(['{"recipientDisplayName":"alice"}']));
    } finally {
      await second.stop();
    }
    expect(await rows('4712')).toHaveLength(1);
  });

  it('does not revive an ended share if it is repeated', async () => {
    await partner.offer('o-3', 'SecretOfTheThird');
    await partner.notify('SHARE_UNSHARED', 'o-3', 'SecretOfTheThird');
    expect((await partner.offer('o-3', 'SecretOfTheThird')).http).toBe(201);
    expect(await rows('o-3')).toEqual([{ name: 'plan.txt', state: 'gone' }]);
  });

  it('of OCM 1.1 is stored with its own data', async () => {
    const webdav = {
      uri: 'https://cloud.partner.example/dav/ocm/1',
      sharedSecret: 'SecretOfMulti',
      permissions: ['read', 'write', 'share'],
    };
    const protocol = { name: 'multi', options: {}, webdav };
    const changes = { resourceType: 'folder', name: 'folder', expiration: 4_000_000_000, protocol };
    expect((await partner.offer('o-4', '', changes)).http).toBe(201);
    const [row] = await partner.gateway.query(
      'SELECT kind, permissions, dialect, access, expires_at FROM received_share WHERE provider_id = $1',
      ['o-4'],
    );
    expect(row).toEqual({
      kind: 'folder',
      permissions: 31,
      dialect: 'ocm-multi',
      access: { webdavUri: webdav.uri, requirements: [], permissionsStated: true, senderUnknown: true },
      expires_at: new Date(4_000_000_000_000),
    });
  });

  it('stores its secret encrypted', async () => {
    await partner.offer('o-6', 'SecretNobodyReads');
    const [row] = await partner.gateway.query<{ text: string }>(
      `SELECT received_share::text || (SELECT coalesce(string_agg(n::text, ''), '') FROM notification n) AS text
       FROM received_share WHERE provider_id = 'o-6'`,
    );
    expect(row!.text).not.toContain('SecretNobodyReads');
    expect(row!.text).not.toContain(Buffer.from('SecretNobodyReads').toString('hex'));
  });
});

const requiring = (...requirements: string[]) => ({
  protocol: { webdav: { sharedSecret: 'SecretOfConditions', permissions: ['read'], requirements } },
});

describe('a refused offer', () => {
  it.each([
    ['an unknown recipient', { shareWith: 'ghost@gateway.example' }, 400, 'User ghost does not exist'],
    ['a group', { shareType: 'group' }, 501, 'ShareType group is not supported'],
    ['a calendar', { resourceType: 'calendar' }, 501, 'ResourceType calendar is not supported'],
    [
      'requirements that are not known, beside one that is',
      requiring('must-exchange-token', 'must-dance', 'must-sing'),
      501,
      'Requirement must-dance, must-sing is not supported',
    ],
    ['an end that has passed', { expiration: 1_000_000_000 }, 400, 'Invalid value of parameter: expiration'],
    ['neither sender nor sharedBy', { sender: '' }, 400, 'Required parameters are missing: sender'],
    [
      'empty permissions',
      { protocol: { webdav: { sharedSecret: 'SecretOfNothing', permissions: [] } } },
      400,
      'Invalid value of parameter: permissions',
    ],
    ['a path for a name', { name: '../x' }, 400, 'The mountpoint name contains invalid characters.'],
    [
      'a name of too many bytes',
      { name: 'ü'.repeat(200) },
      400,
      'The mountpoint name contains invalid characters.',
    ],
    ['a huge name', { name: 'x'.repeat(60_000) }, 400, 'Invalid value of parameter: name'],
    [
      'a provider id of too many bytes',
      { providerId: '✓'.repeat(200) },
      400,
      'Invalid value of parameter: providerId',
    ],
    [
      'a cloud id of 4,000 characters',
      { owner: `${'a'.repeat(3_980)}@example.org` },
      400,
      'Invalid value of parameter: owner',
    ],
    [
      'a host of too many bytes',
      { owner: `rem@example.org/${'ü'.repeat(400)}` },
      400,
      'Invalid value of parameter: owner',
    ],
    [
      'no secret',
      { protocol: { name: 'webdav', options: {} } },
      400,
      'server can not add federated share, missing parameter',
    ],
  ])('for %s', async (_what, changes, status, message) => {
    const before = await rows('%');
    const { http, json } = await partner.offer('refused', 'SecretOfTheRefused', changes);
    expect([http, json]).toEqual([status, { message }]);
    expect(await rows('%')).toEqual(before);
  });

  it.each([
    ['no JSON', '{bad'],
    ['deep JSON', '['.repeat(5_000)],
    [
      'an object nested too deeply',
      JSON.stringify({
        ...offerBody('x', 'y'),
        a: JSON.parse('{"a":'.repeat(20) + '1' + '}'.repeat(20)) as unknown,
      }),
    ],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['too much', JSON.stringify({ ...offerBody('x', 'y'), description: 'x'.repeat(70_000) })],
    ['nothing', ''],
  ])('because it is %s', async (_what, body) => {
    const { http, json } = await partner.ocm('shares', body);
    expect(http).toBe(400);
    expect(json).toEqual({ message: expect.stringContaining('Required parameters are missing') as string });
  });

  it('is not stored for a disabled account', async () => {
    await partner.gateway.addUsers('dora');
    await partner.gateway.ocs('PUT', '/cloud/users/dora/disable', 'admin');
    expect((await partner.offer('o-8', 'SecretForDora', { shareWith: 'dora@x.example' })).http).toBe(400);
  });

  it('by the list of denied hosts, and by an operator’s decision about a partner', async () => {
    await partner.gateway.set('federatedfilesharing/denied_hosts', '["evil.example"]');
    const evil = { owner: 'rem@https://evil.example', sender: 'rem@https://evil.example' };
    const refused = await partner.offer('o-9', 'SecretOfTheEvil', evil);
    expect([refused.http, refused.json]).toEqual([
      403,
      { message: 'Sharing with this server is not allowed' },
    ]);
    await partner.gateway.unset('federatedfilesharing/denied_hosts');
    await partner.gateway.query(`INSERT INTO peer (host_key, trust) VALUES ('bad.example', 'denied')`);
    expect((await partner.offer('o-9', 'SecretOfTheEvil', { owner: 'rem@bad.example' })).http).toBe(403);
  });

  it('while incoming shares are switched off, without reading it', async () => {
    await partner.gateway.set('files_sharing/incoming_server2server_share_enabled', 'no');
    const ocm = await partner.ocm('shares', '{bad');
    expect([ocm.http, ocm.json]).toEqual([501, { message: '' }]);
    const legacy = await partner.legacy('', { name: '/bad' });
    expect([legacy.http, legacy.json.ocs.meta.statuscode]).toEqual([501, 501]);
    await partner.gateway.unset('files_sharing/incoming_server2server_share_enabled');
  });

  it('in maintenance, temporarily; discovery still works', async () => {
    await partner.gateway.set('system/maintenance', 'yes');
    const ocm = await partner.offer('o-10', 'SecretOfMaintenance');
    expect([ocm.http, ocm.headers.get('retry-after')]).toEqual([503, '120']);
    const legacy = await partner.legacy('', offerForm('o-10', 'SecretOfMaintenance'));
    expect([legacy.http, legacy.headers.get('retry-after'), legacy.json.ocs.meta.message]).toEqual([
      503,
      '120',
      'Service unavailable',
    ]);
    expect((await partner.get('/ocm-provider/')).http).toBe(200);
    await partner.gateway.query(`DELETE FROM setting WHERE app = 'system' AND key = 'maintenance'`);
    await eventually('the end of maintenance', async () => {
      const { json } = await partner.get('/status.php');
      return (json as { maintenance: boolean }).maintenance ? undefined : true;
    });
  });

  it.each([1, 2])(
    'to ownCloud has no envelope, because ownCloud would treat it as success (v%d)',
    async (version) => {
      const form = { ...offerForm('o-11', 'SecretOfTheGhost'), shareWith: 'ghost' };
      const crawler = { 'user-agent': 'ownCloud Server Crawler' };
      const plain = await partner.legacy('', form, crawler, version);
      expect([plain.http, plain.json]).toEqual([400, { message: 'User does not exist' }]);
      const enveloped = await partner.legacy('', form, {}, version);
      expect(enveloped.http).toBe(version === 1 ? 200 : 400);
      expect(enveloped.json.ocs.meta).toMatchObject({ statuscode: 400, message: 'User does not exist' });
      const broken = await partner.legacy('', { ...form, name: 'a\u0000b' }, crawler, version);
      expect([broken.http, broken.json]).toEqual([400, { message: 'A parameter contains NUL' }]);
      const gone = await partner.legacy('/987654/accept', { token: 'x' }, crawler, version);
      expect([gone.http, gone.json]).toEqual([410, { message: 'Share with id 987654 does not exist' }]);
    },
  );
});
