import ipaddr from 'ipaddr.js';
import { GuardedClient, SeenCertificates } from '#federation/client';
import { Metrics, readConfig } from '#platform';
import { reply, startFakeServer, TEST_AUTHORITY, type FakeServer } from '#testing';
import { CertificateMetrics } from './certificate-metrics';

const DAY_SECONDS = 86_400;

let server: FakeServer;
beforeAll(async () => {
  server = await startFakeServer((_request, response) => reply(response, 200, 'here'), { tls: true });
});
afterAll(() => server.close());

async function series(metrics: Metrics): Promise<string[]> {
  return (await metrics.render())
    .split('\n')
    .filter((line) => line.startsWith('drawbridge_certificate_seconds'));
}

function valueOf(line: string): number {
  return Number(line.slice(line.lastIndexOf(' ')));
}

it('the certificates of the public address and of partners have their time', async () => {
  const seen = new SeenCertificates();
  const client = new GuardedClient({
    rules: { allowHttp: false, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] },
    authorities: [TEST_AUTHORITY],
    certificates: seen,
  });
  const metrics = new Metrics();
  new CertificateMetrics(metrics, seen, readConfig({ PUBLIC_URL: server.url }));
  const { hostname } = new URL(server.url);
  expect(await series(metrics)).toEqual([
    expect.stringMatching(`^drawbridge_certificate_seconds{of="own",host="${hostname}"} \\d`),
  ]);
  await client.exchange({ method: 'GET', url: `${server.url}/` });
  await client.close();
  const [own, partner] = await series(metrics);
  expect(partner).toContain(`{of="partner",host="${hostname}"}`);
  expect(valueOf(partner!)).toBeGreaterThan(DAY_SECONDS);
  expect(Math.abs(valueOf(partner!) - valueOf(own!))).toBeLessThan(60);
});

it('an instance without TLS, or an unreachable one, has no series, and unreadable times are left out', async () => {
  const seen = new SeenCertificates();
  seen.saw('partner.example', {});
  seen.saw('partner.example', { valid_to: 'soon' });
  for (const PUBLIC_URL of ['http://localhost:1', 'https://localhost:1']) {
    const metrics = new Metrics();
    new CertificateMetrics(metrics, seen, readConfig({ PUBLIC_URL }));
    expect(await series(metrics)).toEqual([]);
  }
});

it('of many partners, those whose certificates end first are shown', () => {
  const seen = new SeenCertificates();
  for (const year of [2041, 2039, 2040]) seen.saw(`of-${year}`, { valid_to: `Jan 1 00:00:00 ${year} GMT` });
  expect(seen.endingFirst(2).map(({ host }) => host)).toEqual(['of-2039', 'of-2040']);
});
