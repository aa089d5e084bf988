import { HeldBytes, type HeldBody } from './held-bytes';

const LIMITS = { total: 100, perAddress: 60 };
let refused: string[];
let held: HeldBytes;
beforeEach(() => {
  refused = [];
  held = new HeldBytes(LIMITS);
});

const hold = (address: string, name = address): HeldBody => held.hold(address, () => refused.push(name));

it('gives each address its part of all bytes, for any number of bodies', () => {
  const [first, second] = [hold('192.0.2.1'), hold('192.0.2.1')];
  expect([first.grow(40), second.grow(20), first.grow(1), second.grow(1)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(hold('192.0.2.2').grow(40)).toBe(true);
});

it('treats a network of IPv6 as one address', () => {
  expect(hold('2001:db8::1').grow(60)).toBe(true);
  expect(hold('2001:db8::2').grow(1)).toBe(false);
});

it('gives released bytes back, only once', () => {
  const body = hold('192.0.2.1');
  expect(body.grow(60)).toBe(true);
  body.release();
  body.release();
  const next = hold('192.0.2.1');
  expect([next.grow(60), next.grow(1)]).toEqual([true, false]);
});

it('ends the oldest body of the address with the most bytes if no space is left', () => {
  const bodies = ['first', 'second'].map((name) => hold('192.0.2.1', name));
  for (const body of bodies) expect(body.grow(30)).toBe(true);
  expect(hold('192.0.2.2').grow(40)).toBe(true);
  const small = hold('192.0.2.3');
  expect(small.grow(10)).toBe(true);
  expect(refused).toEqual(['first']);
  expect(bodies[0]!.grow(1)).toBe(false);
});

it('refuses a body if its own address would have the most bytes, and ends no complete bodies', () => {
  const whole = hold('192.0.2.1');
  expect([whole.grow(55), hold('192.0.2.2').grow(45)]).toEqual([true, true]);
  expect(hold('192.0.2.3').grow(60)).toBe(false);
  whole.finish();
  expect(hold('192.0.2.3').grow(1)).toBe(false);
  expect(refused).toEqual([]);
});
