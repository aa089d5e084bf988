import { namesServerOf, requestTarget } from './request-target';
import { SignatureRefused } from './signature-refused';

describe('the target of a request', () => {
  it.each([
    ['https://b.example.org/ocm/shares', 'b.example.org', '/ocm/shares', ''],
    ['https://B.Example.org:443/OCM/%2fx', 'b.example.org', '/OCM/%2fx', ''],
    ['https://b.example.org:80/', 'b.example.org:80', '/', ''],
    ['http://b.example.org:80', 'b.example.org', '/', ''],
    ['http://[2001:DB8::1]:8080/x//y?a=b?c&d=%20', '[2001:db8::1]:8080', '/x//y', '?a=b?c&d=%20'],
    ['https://b.example.org?', 'b.example.org', '/', '?'],
  ])('%s', (url, authority, path, query) => {
    const uri = `${url.split(':')[0]}://${authority}${path}${query}`;
    expect(requestTarget('POST', url)).toEqual({ method: 'POST', uri, authority, path, query });
  });

  it.each([
    ['POST', '/ocm/shares'],
    ['POST', 'ftp://b.example.org/'],
    ['POST', 'https:///ocm'],
    ['POST', 'https://b.example.org@c.example.org/ocm'],
    ['POST', 'https://b.example.org/ocm#part'],
    ['POST', 'https://b.example.org/?x#part'],
    ['POST', 'https://b.example.org/ocm shares'],
    ['POST', 'https://b.example.org/?a\nhost: c'],
    ['POST', 'https://b.example.org/ocm\n'],
    ['post', 'https://b.example.org/'],
    ['PO ST', 'https://b.example.org/'],
    ['', 'https://b.example.org/'],
  ])('is refused: %s %j', (method, url) => {
    expect(() => requestTarget(method, url)).toThrow(new SignatureRefused('malformed', 'request'));
  });

  it.each([
    ['b.example.org', true],
    ['B.EXAMPLE.ORG:443', true],
    ['b.example.org:80', false],
    ['b.example.org.', false],
    ['b.example.org, b.example.org', false],
    ['', false],
  ])('is on the server that is called %j: %s', (host, expected) => {
    expect(namesServerOf(host, requestTarget('POST', 'https://b.example.org/ocm'))).toBe(expected);
  });
});
