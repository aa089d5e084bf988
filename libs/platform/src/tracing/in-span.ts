import { currentOrigin, withOrigin } from './origin';
import type { Span, SpanDetails } from './span';

/**
 * Does `work` as a step of the present trace; without a recorded trace it only does the work. A failure
 * is noted by its kind alone, because its message may contain anything.
 * @param work gets the step, to add details to it
 */
export async function inSpan<T>(
  name: string,
  details: SpanDetails,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  const origin = currentOrigin();
  if (!origin?.span?.context.isSampled) return work(null);
  const span = origin.span.child({ name, ...details });
  return withOrigin({ ...origin, span }, () => endingWith(span, () => work(span)));
}

/** Ends the span after `work`, with the kind of its failure if it failed. */
export async function endingWith<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(kindOfFailure(error));
    throw error;
  }
}

function kindOfFailure(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)
    ? code
    : error instanceof Error
      ? error.constructor.name
      : 'unknown';
}
