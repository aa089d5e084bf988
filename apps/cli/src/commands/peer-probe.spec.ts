import { readConfig } from '#platform';
import { startOwnCloud, type FakePartner } from '../../../../libs/testing/src';
import { Instance } from '../instance';
import { PEER_PROBE_COMMAND } from './peer-probe';

const config = readConfig({
  PUBLIC_URL: 'https://share.example.org',
  FEDERATION_ALLOW_HTTP: 'true',
  FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
});
const probe = (host: string) =>
  PEER_PROBE_COMMAND.run({ arguments: { host }, rest: [], options: {} }, new Instance(config, true));

describe('peer probe', () => {
  let partner: FakePartner;
  beforeAll(async () => {
    partner = await startOwnCloud();
  });
  afterAll(() => partner.close());

  it('shows the protocols of a server and the offers that it would get, and sends none', async () => {
    const host = new URL(partner.url).host;
    const output = await probe(host);
    expect(output).toMatchObject({
      kind: 'record',
      record: { host, product: 'owncloud10', address: partner.url, dialects: ['ocm-webdav', 'legacy'] },
    });
    const offers = output.kind === 'record' ? (output.record.offers as string[]) : [];
    expect(offers).toHaveLength(2);
    expect(offers[0]).toMatch(
      /^ocm-webdav: POST http:\S+\/shares \{.*"owner":"alice@https:\/\/share\.example\.org".*"\[secret\]"/,
    );
    expect(offers[1]).toMatch(/^legacy: POST http:\S+\/ocs\/v2\.php\/cloud\/shares\?format=json shareWith=/);
    expect(partner.seen('POST')).toEqual([]);
  });

  it('reports why a server is not a partner', async () => {
    await expect(probe('127.0.0.1:9')).rejects.toThrow(
      /^127\.0\.0\.1:9 is not a partner: not-listening\.\nGET https:/,
    );
    await expect(probe('10.0.0.1')).rejects.toThrow(/is not a partner: blocked/);
    await expect(probe('no host')).rejects.toThrow(/HOST is the part/);
  });
});
