interface Law {
  rate: number;
  contention: number;
  coherency: number;
}
interface Point {
  processes: number;
  perSecond: number;
}
const { fitScalability, throughputOf, errorAt } = jest.requireActual<{
  fitScalability(points: Point[]): Law;
  throughputOf(law: Law, processes: number): number;
  errorAt(law: Law, point: Point): number;
}>('../../bench/scale/scalability-law.mjs');

const pointsOf = (law: Law, ...counts: number[]): Point[] =>
  counts.map((processes) => ({ processes, perSecond: throughputOf(law, processes) }));

describe('the universal scalability law', () => {
  it.each([
    { rate: 1600, contention: 0.05, coherency: 0.002 },
    { rate: 120, contention: 0, coherency: 0.01 },
    { rate: 7, contention: 0.3, coherency: 0 },
    { rate: 500, contention: 0, coherency: 0 },
  ])('is found again in points that follow it: %j', (law) => {
    const found = fitScalability(pointsOf(law, 1, 2, 4, 8));
    expect(found.rate).toBeCloseTo(law.rate, 6);
    expect(found.contention).toBeCloseTo(law.contention, 9);
    expect(found.coherency).toBeCloseTo(law.coherency, 9);
  });

  it('promises four processes 1,600 of 2,000 requests per second if a twelfth of the work is done by one at a time', () => {
    expect(throughputOf({ rate: 500, contention: 1 / 12, coherency: 0 }, 4)).toBeCloseTo(1600, 9);
  });

  it('has no coefficients below zero if processes help each other', () => {
    const found = fitScalability([
      { processes: 1, perSecond: 100 },
      { processes: 2, perSecond: 210 },
      { processes: 4, perSecond: 440 },
    ]);
    expect([found.contention, found.coherency]).toEqual([0, 0]);
    expect(found.rate).toBeGreaterThan(100);
    expect(found.rate).toBeLessThan(110);
  });

  it('tells its error on a size that it was not fitted to', () => {
    const law = fitScalability(pointsOf({ rate: 100, contention: 0, coherency: 0 }, 1, 2, 4));
    expect(errorAt(law, { processes: 8, perSecond: 640 })).toBeCloseTo(0.25, 9);
  });
});
