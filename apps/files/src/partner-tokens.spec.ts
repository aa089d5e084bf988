import { CallLimits, ShareAccessTokens } from '#identity';
import { SecretBox } from '#platform';
import { basicAuth } from '../../../libs/testing/src/basic-auth';
import { LEGACY, OCM, WAYS_IN, type KeptShare } from '../../../libs/testing/src/partners/reading-partner';
import { sharedFolderStage } from '../../../libs/testing/src/rigs/shared-folder-stage';
import { countStatements } from '../../../libs/testing/src/rigs/statement-count';

const BY_BEARER = WAYS_IN.filter((way) => way.endsWith('Bearer'));

const stage = sharedFolderStage();
afterEach(() => jest.restoreAllMocks());
const change = (assignment: string, { id }: KeptShare) =>
  stage.sql(`UPDATE share SET ${assignment} WHERE id = $1`, [id]);

/** The share, with an access token instead of its secret. */
const exchanged = ({ id, token }: KeptShare): KeptShare => {
  const tokenHmac = stage.files.get(SecretBox).lookup(token);
  return { id, token: stage.files.get(ShareAccessTokens).give(tokenHmac).token };
};

describe('an access token', () => {
  it.each(BY_BEARER)('gives access to its share, with the rights of its secret, at %s', async (way) => {
    const share = await stage.shareFolder();
    const shown = exchanged(share);
    expect(await stage.partner.listed(way, shown)).toEqual(await stage.partner.listed(way, share));
    expect(await stage.partner.statusOf(way, shown, 'PUT', '/new.txt', { body: 'x' })).toBe(201);
    expect(await (await stage.partner.ask(way, shown, 'GET', '/new.txt')).text()).toBe('x');
    await change('permissions = 1', share);
    expect(await stage.partner.statusOf(way, shown, 'PUT', '/new.txt', { body: 'y' })).toBe(403);
    expect(await stage.partner.statusOf(way, shown, 'GET', '/new.txt')).toBe(200);
  });

  it('gives no access to another share', async () => {
    const [one, other] = [
      await stage.shareFolder(),
      await stage.files.federatedShare({
        path: '/folder/file.txt',
        owner: stage.alice,
        recipient: 'carl@third.example',
      }),
    ];
    const { token } = exchanged(one);
    expect(await stage.partner.rootStatus(OCM, { id: other.id, token })).toBe(401);
    expect(await stage.partner.rootStatus(OCM, { id: one.id, token })).toBe(207);
  });

  it('is refused as the user name of Basic', async () => {
    const { token } = exchanged(await stage.shareFolder());
    const headers = { authorization: basicAuth(token, '') };
    expect(
      (await fetch(`${stage.files.url}/public.php/webdav/`, { method: 'PROPFIND', headers })).status,
    ).toBe(401);
  });

  it.each([
    ['its share', (share: KeptShare) => stage.sql('DELETE FROM share WHERE id = $1', [share.id])],
    ['the time of its share', (share: KeptShare) => change('expires_on = current_date - 1', share)],
    ['the secret of its share', (share: KeptShare) => change(`token_hmac = sha256('another')`, share)],
  ])('ends with %s', async (_what, end) => {
    const share = await stage.shareFolder();
    const shown = exchanged(share);
    expect(await stage.partner.rootStatus(OCM, shown)).toBe(207);
    await end(share);
    for (const way of BY_BEARER) expect(await stage.partner.rootStatus(way, shown)).toBe(401);
  });

  it('gives no access while its partner is denied', async () => {
    const share = await stage.shareFolder();
    const shown = exchanged(share);
    const regard = (trust: string) =>
      stage.sql('UPDATE peer SET trust = $2 WHERE id = (SELECT peer_id FROM share WHERE id = $1)', [
        share.id,
        trust,
      ]);
    await regard('denied');
    expect(await stage.partner.rootStatus(OCM, shown)).toBe(503);
    await regard('unknown');
    expect(await stage.partner.rootStatus(OCM, shown)).toBe(207);
  });

  it('that has expired is answered 401, and does not count as a guess', async () => {
    const shown = exchanged(await stage.shareFolder());
    const [now, failed] = [Date.now(), jest.spyOn(stage.files.get(CallLimits), 'failed')];
    jest.spyOn(Date, 'now').mockImplementation(() => now + 900_000);
    for (const way of BY_BEARER) {
      const reply = await stage.partner.propfind(way, shown);
      expect([reply.status, reply.headers.has('www-authenticate')]).toEqual([401, true]);
      expect(await reply.text()).not.toContain(shown.token);
    }
    expect(failed).not.toHaveBeenCalled();
  });

  it('costs no more statements than the secret', async () => {
    const share = await stage.shareFolder();
    const shown = exchanged(share);
    const ask = (key: KeptShare) => () => stage.partner.propfind(OCM, key);
    await ask(share)();
    const bySecret = await countStatements(stage.files.appDatabase, ask(share));
    expect(bySecret).toBeGreaterThan(0);
    expect(await countStatements(stage.files.appDatabase, ask(shown))).toBe(bySecret);
  });
});

describe('a secret that has to be exchanged', () => {
  it('gives no access by itself, and does not count as a guess', async () => {
    const share = await stage.shareFolder();
    const failed = jest.spyOn(stage.files.get(CallLimits), 'failed');
    expect(await stage.partner.rootStatus(LEGACY, share)).toBe(207);
    await change('must_exchange = true', share);
    for (const way of WAYS_IN) {
      expect(await stage.partner.rootStatus(way, share)).toBe(401);
      expect(await stage.partner.statusOf(way, share, 'GET', '/file.txt')).toBe(401);
      expect(await stage.partner.statusOf(way, share, 'PUT', '/new.txt', { body: 'x' })).toBe(401);
    }
    for (const way of BY_BEARER) expect(await stage.partner.rootStatus(way, exchanged(share))).toBe(207);
    expect(failed).not.toHaveBeenCalled();
  });

  it('does not mark the share as accepted', async () => {
    const share = await stage.shareFolder();
    await change('must_exchange = true', share);
    await stage.partner.ask(OCM, share, 'GET', '/file.txt');
    const acceptance = () => stage.sql('SELECT acceptance FROM share WHERE id = $1', [share.id]);
    expect(await acceptance()).toEqual([{ acceptance: 'unknown' }]);
    await stage.partner.ask(OCM, exchanged(share), 'GET', '/file.txt');
    expect(await acceptance()).toEqual([{ acceptance: 'accepted' }]);
  });
});
