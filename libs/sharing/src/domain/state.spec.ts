import { parseStateFilter, STATE_NUMBERS, stateOfNumber, TRANSITIONS, type ShareState } from './state';

const STATES: ShareState[] = ['accepted', 'pending', 'declined'];

describe('the states of a received share', () => {
  it.each([
    ['accepted', 0],
    ['pending', 1],
    ['declined', 2],
  ] as const)('%s is %i on the wire', (state, number) => {
    expect(STATE_NUMBERS[state]).toBe(number);
    expect(stateOfNumber(number)).toBe(state);
  });

  it.each([-1, 3, 0.5, NaN])('%d is no state', (number) => {
    expect(() => stateOfNumber(number)).toThrow();
  });

  it.each(STATES)('from %s, both decisions are possible', (state) => {
    expect(TRANSITIONS[state]).toEqual({ accept: 'accepted', decline: 'declined' });
  });
});

describe('the filter of a list', () => {
  it.each([
    ['all', undefined],
    ['accepted', 'accepted'],
    ['0', 'accepted'],
    ['pending', 'pending'],
    ['1', 'pending'],
    ['declined', 'declined'],
    ['rejected', 'declined'],
    ['2', 'declined'],
    ['', 'accepted'],
    ['nonsense', 'accepted'],
    ['3', 'accepted'],
    [undefined, 'accepted'],
  ])('%j means %j', (raw, state) => {
    expect(parseStateFilter(raw)).toBe(state);
  });
});
