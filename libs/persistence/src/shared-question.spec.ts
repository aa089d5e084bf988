import { SharedQuestion } from './shared-question';

/** A question whose answers the spec gives: the number of the question. */
function openQuestion() {
  const sent: { answer: () => void; fail: () => void }[] = [];
  const question = new SharedQuestion(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = sent.length + 1;
        sent.push({ answer: () => resolve(number), fail: () => reject(new Error(`question ${number}`)) });
      }),
  );
  return { question, sent };
}

/** Lets everything happen that waits for nothing else. */
const settled = () => new Promise<void>((done) => setImmediate(done));

it('gives each caller the answer to a question that was sent after their call', async () => {
  const { question, sent } = openQuestion();
  const first = question.ask();
  await settled();
  const later = [question.ask(), question.ask()];
  await settled();
  expect(sent).toHaveLength(1);
  sent[0]!.answer();
  expect(await first).toBe(1);
  await settled();
  expect(sent).toHaveLength(2);
  sent[1]!.answer();
  expect(await Promise.all(later)).toEqual([2, 2]);
  const last = question.ask();
  await settled();
  sent[2]!.answer();
  expect(await last).toBe(3);
});

it('tells a failure to the callers of that question only', async () => {
  const { question, sent } = openQuestion();
  const first = question.ask();
  await settled();
  const second = question.ask();
  sent[0]!.fail();
  await expect(first).rejects.toThrow('question 1');
  await settled();
  sent[1]!.answer();
  expect(await second).toBe(2);
});
