import { reasonToHoldBack, type Loss } from './losses';

const people = (known: number, gone: number): Loss[] => [{ of: 'people', known, gone }];

describe('an answer of a directory with fewer entries', () => {
  it.each([
    ['no account is gone', people(100, 0)],
    ['few are gone from a small directory', people(8, 3)],
    ['a small part is gone', people(200, 20)],
    ['there was nothing before', people(0, 0)],
    ['the last memberships are gone', [{ of: 'memberships', known: 2, gone: 2 } as const]],
  ])('is accepted if %s', (_name, losses) => {
    expect(reasonToHoldBack(losses, 0.1)).toBeUndefined();
  });

  it.each([
    ['nothing is left', people(3, 3), '3 of 3 people would be gone'],
    ['a great part is gone', people(200, 21), '21 of 200 people would be gone'],
    [
      'only groups are less',
      [...people(9, 0), { of: 'groups', known: 40, gone: 30 } as const],
      '30 of 40 groups would be gone',
    ],
    [
      'many memberships are gone',
      [{ of: 'memberships', known: 20, gone: 20 } as const],
      '20 of 20 memberships would be gone',
    ],
  ])('is held back if %s', (_name, losses, reason) => {
    expect(reasonToHoldBack(losses, 0.1)).toBe(reason);
  });

  it('is accepted in any case if the operator accepts every loss', () => {
    expect(reasonToHoldBack(people(3, 3), 1)).toBeUndefined();
  });
});
