import { tokenOfLink } from './link-address';

describe('the token of a link of ours', () => {
  it.each([
    ['https://cloud.example.org/s/abc123', 'https://cloud.example.org'],
    ['https://cloud.example.org/index.php/s/abc123', 'https://cloud.example.org'],
    ['http://CLOUD.example.org/s/abc123/?x=1#y', 'http://cloud.example.org'],
    ['https://example.org/cloud/index.php/s/abc123', 'https://example.org/cloud'],
  ])('is read from %s', (link, publicUrl) => {
    expect(tokenOfLink(link, publicUrl)).toBe('abc123');
  });

  it.each([
    ['', 'no address'],
    ['abc123', 'a bare token'],
    ['https://elsewhere.example/s/abc123', 'another host'],
    ['https://cloud.example.org:444/s/abc123', 'another port'],
    ['https://cloud.example.org@elsewhere.example/s/abc123', 'a host that poses as a name'],
    ['https://cloud.example.org/x/s/abc123', 'another path'],
    ['https://cloud.example.org/s/abc-123', 'a text that is no token'],
    ['https://cloud.example.org/s/', 'none'],
    ['javascript://cloud.example.org/s/abc123', 'another scheme'],
  ])('is not read from %j: %s', (link) => {
    expect(tokenOfLink(link, 'https://cloud.example.org')).toBeUndefined();
  });
});
