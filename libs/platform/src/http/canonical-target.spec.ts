import fc from 'fast-check';
import { canonicalTarget, isSpelledAsRoute, isUsableTarget } from './canonical-target';

describe('the canonical form of a target', () => {
  it.each([
    ['/a/b?c=d', '/a/b?c=d'],
    ['//ocs///v1.php/', '/ocs/v1.php/'],
    ['/a//b?path=//c', '/a/b?path=//c'],
    ['http://cloud.example//a?b', '/a?b'],
    ['http://cloud.example?b', '?b'],
    ['*', '*'],
    ['/%2F%2f%2e', '/%2F%2f%2e'],
  ])('of %j is %j', (target, canonical) => {
    expect(canonicalTarget(target)).toBe(canonical);
  });

  it('is its own canonical form', () => {
    const pieces = fc.constantFrom('/', '//', '.', '..', '%2e', '%2F', 'a', '?', '#');
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        const canonical = canonicalTarget(`/${parts.join('')}`);
        expect(canonicalTarget(canonical)).toBe(canonical);
      }),
    );
  });

  it.each(['/dav#/dav/17', '/a%00b', '/a?b=%00'])('is refused: %j', (target) => {
    expect(isUsableTarget(canonicalTarget(target))).toBe(false);
  });
});

describe('a path', () => {
  it.each<[string, string, boolean]>([
    ['/remote.php/*', '/remote.php/webdav/a%20b/%2e%2e', true],
    ['/remote.php/*', '/remote%2ephp/webdav', false],
    ['/remote.php/*', '/%72emote.php/webdav', false],
    ['/ocs/v1.php/cloud/users/:uid', '/ocs/v1.php/cloud/users/%61lice', true],
    ['/ocs/v1.php/cloud/users/:uid', '/ocs/v1.php/cloud/%75sers/alice', false],
    ['/ocs/v1.php/cloud/users/:uid', '/ocs/v1.php/cloud/users/..', false],
    ['/ocs/v1.php/cloud/users/:uid/groups', '/ocs/v1.php/cloud/users/%2E./groups', false],
    ['/ocs/v1.php/cloud/users/:uid/groups', '/ocs/v1.php/cloud/users/./groups', false],
    ['/', '/', true],
    ['/status.php', '/status%2Ephp', false],
  ])('of the route %s is spelled like it: %s %s', (pattern, path, isSpelled) => {
    expect(isSpelledAsRoute(pattern, path)).toBe(isSpelled);
  });
});
