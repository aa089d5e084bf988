import { WorkBudgetSpent, WorkBudget } from './work-budget';

/** A budget of 100 ms, and work that moves an otherwise stopped clock by `ms`. */
function budgeted(): { work(ms: number): void } {
  let clock = 5000;
  const budget = new WorkBudget(100, () => clock);
  const work = (ms: number): void =>
    budget.turn(() => {
      for (let step = 0; step < 640; step++) {
        clock += ms / 640;
        budget.step();
      }
    });
  return { work };
}

it('ends work that takes too long', () => {
  const { work } = budgeted();
  expect(() => work(90)).not.toThrow();
  expect(() => budgeted().work(130)).toThrow(WorkBudgetSpent);
});

it('counts all turns together', () => {
  const { work } = budgeted();
  work(60);
  expect(() => work(60)).toThrow(WorkBudgetSpent);
});

it('measures the processor time of this thread unless told otherwise', () => {
  const budget = new WorkBudget(20);
  expect(() =>
    budget.turn(() => {
      for (;;) budget.step();
    }),
  ).toThrow(WorkBudgetSpent);
});
