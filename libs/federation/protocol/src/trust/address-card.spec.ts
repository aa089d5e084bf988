import { localCloudId } from '../addresses/federated-cloud-id';
import { MAX_CARD_LENGTH, readAddressCard, writeAddressCard } from './address-card';
import { readSyncToken, syncTokenOf } from './sync-token';

const HOST = 'cloud.example.org';
const card = (...lines: string[]): string =>
  ['BEGIN:VCARD', 'VERSION:3.0', ...lines, 'END:VCARD', ''].join('\r\n');

/** In the form of ownCloud's and Nextcloud's address books. */
const OF_OWNCLOUD = card(
  'UID:alice',
  'FN:Alice Liddell',
  'N:Liddell;Alice;;;',
  'EMAIL;TYPE=OTHER:alice@example.org',
  'CLOUD:alice@cloud.example.org',
  'PHOTO;ENCODING=b;TYPE=image/png:iVBORw0KGgo',
  ' AAAA',
);
const OF_NEXTCLOUD = card(
  'PRODID:-//Sabre//Sabre VObject 4.5.6//EN',
  'UID:ben',
  'FN;X-NC-SCOPE=v2-federated:Ben Östlund',
  'EMAIL;TYPE=OTHER;X-NC-SCOPE=v2-federated:ben@example.org',
  'item1.ORG;X-NC-SCOPE="a:b":Sea\\, Sky\\; Sons;Office',
  'CLOUD:ben@https://cloud.example.org/',
);

it('reads the cards of ownCloud and Nextcloud', () => {
  expect(readAddressCard(OF_OWNCLOUD, HOST)).toEqual({
    cloudId: 'alice@cloud.example.org',
    canonical: 'alice@cloud.example.org',
    displayName: 'Alice Liddell',
    email: 'alice@example.org',
    organisation: '',
  });
  expect(readAddressCard(OF_NEXTCLOUD, HOST)).toEqual({
    cloudId: 'ben@cloud.example.org',
    canonical: 'ben@cloud.example.org',
    displayName: 'Ben Östlund',
    email: 'ben@example.org',
    organisation: 'Sea, Sky; Sons',
  });
});

it.each([
  ['a person of another host', card('CLOUD:eve@bank.example', 'FN:Eve')],
  ['a host that only begins like its own', card('CLOUD:eve@cloud.example.org.evil.example', 'FN:Eve')],
  ['no cloud id', card('FN:Eve', 'EMAIL:eve@cloud.example.org')],
  ['a cloud id with invisible characters', card('CLOUD:e\u202eve@cloud.example.org')],
  ['a card after the first', `${card('FN:Eve')}${card('CLOUD:eve@cloud.example.org')}`],
  ['too much', card('CLOUD:eve@cloud.example.org', `NOTE:${'x'.repeat(MAX_CARD_LENGTH)}`)],
  ['no card', '{"cloud":"eve@cloud.example.org"}'],
])('takes nobody from %s', (_what, text) => {
  expect(readAddressCard(text, HOST)).toBeUndefined();
});

it('cuts values, and removes what reads differently than it is written', () => {
  const read = readAddressCard(
    card(
      'CLOUD:eve@cloud.example.org',
      `FN:\u202eevil\u0007${'x'.repeat(1000)}`,
      'EMAIL:two words@example.org',
      `ORG:${'o'.repeat(1000)}`,
    ),
    HOST,
  )!;
  expect(read.displayName).toMatch(/^evil x{251}$/);
  expect([read.email, read.organisation.length]).toEqual(['', 256]);
});

it('reads hostile lines in linear time', () => {
  const lines = [`FN;${'a="b";'.repeat(50_000)}`, `${'a.'.repeat(100_000)}`, `FN${';'.repeat(100_000)}`];
  const begun = process.cpuUsage().user;
  readAddressCard(card(...lines), HOST);
  expect((process.cpuUsage().user - begun) / 1000).toBeLessThan(2000);
});

it.each([
  ['Alice', 'alice@example.org'],
  ['Anna Maria de la Cruz, jr.; \\ "A"', null],
  ['Ä'.repeat(120), 'a@b.example'],
  ['two\r\nlines', null],
])('writes a card that it can read (%s)', (displayName, email) => {
  const text = writeAddressCard({
    id: '7',
    cloudId: localCloudId('al@x', 'https://cloud.example.org'),
    displayName,
    email,
  });
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  expect(readAddressCard(text, HOST)).toMatchObject({
    cloudId: 'al@x@cloud.example.org',
    displayName: displayName.replace('\r\n', ' '),
    email: email ?? '',
  });
});

it('reads only its own tokens', () => {
  expect(readSyncToken(syncTokenOf(42))).toBe(42);
  for (const text of ['', '42', 'http://sabre.io/ns/sync/', 'http://sabre.io/ns/sync/-1', 'data:,42'])
    expect(readSyncToken(text)).toBeUndefined();
});
