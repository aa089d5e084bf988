import { localCloudId } from '../addresses/federated-cloud-id';
import { readMailAddress } from './mail-address';
import { addressIn, describePerson, readPersonsAccounts, resourceOf } from './web-finger';

const ANN = readMailAddress('ann.b@mail.example')!;
const accounts = (descriptor: unknown) =>
  readPersonsAccounts(JSON.stringify(descriptor), ANN)?.map(({ canonical }) => canonical);

describe('a mail address', () => {
  it.each([
    ['Ann.B@Mail.Example', 'ann.b@mail.example'],
    [' ann@mail.example ', 'ann@mail.example'],
    ["o'neil+x@a.b-c.example", "o'neil+x@a.b-c.example"],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
  ])('is read from %j', (text, expected) => {
    expect(readMailAddress(text)?.text).toBe(expected);
  });

  it.each([
    ...['ann', '@mail.example', 'ann@', 'ann@mail', 'ann@mail.', 'ann@127.0.0.1', 'ann@[::1]'],
    ...['ann@mail.example:8443', 'ann@mail.example/x', 'ann@https://mail.example', 'a b@mail.example'],
    ...['ann@bob@mail.example', 'ann\u0000@mail.example', `${'a'.repeat(65)}@mail.example`],
    ...[`ann@${'a.'.repeat(130)}example`, 'ann%@', '%@%'],
  ])('is not read from %j', (text) => {
    expect(readMailAddress(text)).toBeUndefined();
  });
});

describe('a descriptor of WebFinger', () => {
  it('of ours is read by ours', () => {
    const id = localCloudId('ann', 'https://cloud.example.org');
    const ours = { subject: resourceOf(ANN), ...describePerson(id, 'https://cloud.example.org') };
    expect(ours).toEqual({
      subject: 'acct:ann.b@mail.example',
      aliases: ['acct:ann@cloud.example.org'],
      links: [
        {
          rel: 'urn:drawbridge:federated-cloud-id',
          href: 'https://cloud.example.org/',
          properties: { 'urn:drawbridge:federated-cloud-id': 'ann@cloud.example.org' },
        },
      ],
    });
    expect(accounts(ours)).toEqual(['ann@cloud.example.org']);
    const below = describePerson(localCloudId('ann', 'https://x.example/cloud'), 'https://x.example/cloud');
    expect(below.aliases).toEqual([]);
    expect(accounts(below)).toEqual(['ann@x.example/cloud']);
  });

  it('names accounts by the members that every domain can write', () => {
    expect(accounts({ subject: 'acct:ann@cloud.example.org' })).toEqual(['ann@cloud.example.org']);
    const aliases = ['https://social.example/@ann', 'acct:ann%2Bx@cloud.example.org', 'acct:a@b.example'];
    expect(accounts({ subject: 'acct:Ann.B@mail.example', aliases })).toEqual([
      'ann+x@cloud.example.org',
      'a@b.example',
    ]);
  });

  it('names nobody for an answer without another account', () => {
    for (const rest of [
      { subject: 'acct:ann.b@mail.example' },
      { subject: 'acct:ann.b@mail.example', links: [{ rel: 'self', href: 'https://x.example/@ann' }] },
      {
        aliases: ['acct:no-host', 'acct:%E0%A4%A@x.example', 7, null],
        links: [null, 'x', { properties: 3 }],
      },
      { subject: {}, aliases: {}, links: 'x' },
    ])
      expect(accounts(rest)).toEqual([]);
  });

  it('is bounded', () => {
    const many = { aliases: Array.from({ length: 100 }, (_, n) => `acct:ann@s${n}.example`) };
    expect(accounts(many)).toHaveLength(2);
    for (const text of ['', 'x', '[]', 'null', '"acct:a@b.example"', `{"a":"${'x'.repeat(70_000)}"}`])
      expect(readPersonsAccounts(text, ANN)).toBeUndefined();
  });
});

it.each([
  ['acct:ann@mail.example', 'ann@mail.example'],
  ['mailto:ann@mail.example', 'ann@mail.example'],
  ['https://cloud.example.org', undefined],
  ['ann@mail.example', undefined],
])('the address in the resource %j is %j', (resource, address) => {
  expect(addressIn(resource)).toBe(address);
});
