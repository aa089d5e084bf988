import { readWantedResource } from './wanted-resource';

const HOST = 'cloud.partner.example:8443';

it.each([
  ['4711', '4711'],
  [' plans of ours.txt ', 'plans of ours.txt'],
  [`https://${HOST}/f/4711`, `https://${HOST}/f/4711`],
  [`HTTPS://Cloud.Partner.Example:8443/index.php/f/4711?x=1#y`, undefined],
])('reads %s', (text, wanted) => {
  expect(readWantedResource(text, HOST)).toBe(wanted ?? text);
});

it('reads only addresses below the path of the server, if it has one', () => {
  const key = 'partner.example/cloud';
  expect(readWantedResource('https://partner.example/cloud/f/1', key)).toBe(
    'https://partner.example/cloud/f/1',
  );
  expect(readWantedResource('https://partner.example/cloudy/f/1', key)).toBeUndefined();
});

it.each([
  ['', 'nothing'],
  ['  ', 'only spaces'],
  ['https://elsewhere.example/f/4711', 'an address of another server'],
  ['https://cloud.partner.example/f/4711', 'another port'],
  [`https://me:secret@${HOST}/f/4711`, 'credentials'],
  [`javascript:alert(1)`, 'another scheme'],
  ['file:///etc/passwd', 'a local file'],
  ['../../etc/passwd', 'a path'],
  ['47\u000011', 'a control character'],
  ['47\u202e11', 'a character that turns the text around'],
  ['\ud800', 'half a character'],
  ['x'.repeat(1001), 'a long text'],
])('refuses %j: %s', (text) => {
  expect(readWantedResource(text, HOST)).toBeUndefined();
});
