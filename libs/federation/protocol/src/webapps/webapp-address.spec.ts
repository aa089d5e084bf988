import { webappAddress } from './webapp-address';

const partner = {
  baseUrl: 'https://cloud.example.org',
  webdavUrl: 'https://files.example.org/dav',
  ocmEndPoint: 'https://cloud.example.org/ocm',
};

it.each([
  ['https://cloud.example.org/app/7?x=1', 'https://cloud.example.org/app/7?x=1'],
  ['http://cloud.example.org/app', 'https://cloud.example.org/app'],
  ['https://files.example.org/app', 'https://files.example.org/app'],
  ['https://hub.example.org/app', 'https://hub.example.org/app'],
  ['https://hub.example.org:8443/app', 'https://hub.example.org:8443/app'],
  ['http://hub.example.org/app', undefined],
  ['https://cloud.example.org:8443/app', undefined],
  ['https://hub.example.org:9000/app', undefined],
  ['https://cloud.example.org.evil.example/app', undefined],
  ['https://evil.example/?https://cloud.example.org', undefined],
  ['https://cloud.example.org@evil.example/', undefined],
])('the page %s is opened at %s', (uri, address) => {
  expect(webappAddress(uri, partner, ['hub.example.org', 'hub.example.org:8443'])).toBe(address);
});
