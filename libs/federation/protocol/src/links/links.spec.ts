import { SecretText } from '../secret-text';
import { readForeignLink, readLinkAddress } from './link-address';
import { linkForm, linkKeysText, readLinkAnswer, readLinkKeys } from './link-request';

const shown = (address: string) => {
  const link = readLinkAddress(address);
  return link && { hostKey: link.hostKey, token: link.token.reveal() };
};

describe('the address of a public link at another server', () => {
  it.each([
    ['https://cloud.example.org/s/Abc123', 'cloud.example.org'],
    ['https://Cloud.Example.org/index.php/s/Abc123', 'cloud.example.org'],
    ['  https://cloud.example.org/s/Abc123/download  ', 'cloud.example.org'],
    ['https://cloud.example.org/s/Abc123?path=%2Fa#x', 'cloud.example.org'],
    ['https://example.org:8443/owncloud/index.php/s/Abc123', 'example.org:8443/owncloud'],
    ['http://127.0.0.1:8080/s/Abc123', '127.0.0.1:8080'],
    ['https://cloud.example.org/files/link/public/Abc123/folder', 'cloud.example.org'],
    ['https://cloud.example.org/#/files/link/public/Abc123', 'cloud.example.org'],
  ])('is read: %s', (address, hostKey) => {
    expect(shown(address)).toEqual({ hostKey, token: 'Abc123' });
  });

  it.each([
    '',
    'Abc123',
    'https://cloud.example.org/',
    'https://cloud.example.org/s/',
    'ftp://cloud.example.org/s/Abc123',
    'https://cloud.example.org/s/Abc%20123',
    'https://bob:secret@cloud.example.org/s/Abc123',
    `https://cloud.example.org/s/${'a'.repeat(129)}`,
    `https://cloud.example.org/${'a'.repeat(2048)}/s/Abc123`,
  ])('is refused: %s', (address) => {
    expect(shown(address)).toBeUndefined();
  });

  it('comes in two parts from the page of the other server', () => {
    const link = readForeignLink('https://cloud.example.org/owncloud/', 'Abc123');
    expect(link).toMatchObject({ hostKey: 'cloud.example.org/owncloud' });
    expect(readForeignLink('not a host', 'Abc123')).toBeUndefined();
    expect(readForeignLink('cloud.example.org', '../Abc')).toBeUndefined();
  });
});

describe('the call that asks the server of a link to offer a share', () => {
  const keys = { token: new SecretText('Abc123'), password: new SecretText('pass & word') };

  it('has token, password and cloud id, and does not show them', () => {
    const form = linkForm(keys, 'bob@here.example');
    expect(String(form)).toBe('[secret]');
    expect(Object.fromEntries(new URLSearchParams(form.reveal()))).toEqual({
      token: 'Abc123',
      password: 'pass & word',
      shareWith: 'bob@here.example',
    });
  });

  it('stores the credentials of the link as one text', () => {
    const read = readLinkKeys(linkKeysText({ ...keys, name: 'Plans' }))!;
    expect([read.token.reveal(), read.password.reveal(), read.name]).toEqual([
      'Abc123',
      'pass & word',
      'Plans',
    ]);
    expect(readLinkKeys('no json')).toBeUndefined();
  });

  it.each([
    [200, '{"remoteUrl":"here.example"}', { kind: 'offered', providerId: null }],
    [200, '{"remoteUrl":"here.example","providerId":"42"}', { kind: 'offered', providerId: '42' }],
    [200, `{"remoteUrl":"x","providerId":"${'1'.repeat(300)}"}`, { kind: 'offered', providerId: null }],
    [200, '<html>a page for everything</html>', { kind: 'unsupported' }],
    [303, '', { kind: 'unsupported' }],
    [401, '', { kind: 'unsupported' }],
    [404, '<html>', { kind: 'unsupported' }],
    [405, '', { kind: 'unsupported' }],
    [400, '{"message":"Not Abc123\\u0007!"}', { kind: 'refused', words: 'Not [secret] !' }],
    [400, '', { kind: 'refused', words: '' }],
    [429, '', { kind: 'later' }],
    [500, '', { kind: 'later' }],
    [503, '{"message":"away"}', { kind: 'later' }],
  ])('understands HTTP %i %s', (status, text, meaning) => {
    expect(readLinkAnswer(status, text, keys)).toEqual(meaning);
  });
});
