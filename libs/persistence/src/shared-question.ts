/**
 * Asks one question for many callers. Each of them gets the answer to a question that was sent after their call: callers that come
 * while a question is under way share the next one.
 */
export class SharedQuestion<Answer> {
  private underWay: Promise<unknown> = Promise.resolve();
  private next: Promise<Answer> | undefined;

  constructor(private readonly send: () => Promise<Answer>) {}

  /** Rejects if the question failed. */
  ask(): Promise<Answer> {
    return (this.next ??= this.underWay.then(() => this.sendNext()));
  }

  private sendNext(): Promise<Answer> {
    // From here on, callers are too late for this question.
    this.next = undefined;
    const answer = this.send();
    this.underWay = answer.catch(() => undefined);
    return answer;
  }
}
