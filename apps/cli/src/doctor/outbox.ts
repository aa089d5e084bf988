import { DeliveryFiguresRepository } from '#persistence';
import { ok, warning, failed, type Check, type Finding } from './finding';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const SHOWN = 5;

/** Checks whether messages to partners arrive. */
export const OUTBOX_CHECK: Check = {
  name: 'outbox',
  needsSchema: true,
  look: async (instance) => {
    const figures = new DeliveryFiguresRepository(await instance.open());
    const { dead, parked, contentShut, sharesShut, paused, pending, queued, inflight } =
      await figures.figures();
    const waiting = await figures.waiting(SHOWN);
    const findings = [ageFinding(pending + queued + inflight, waiting)];
    if (dead > 0)
      findings.push(
        warning(
          'given up',
          `${dead} messages`,
          "Look with 'drawbridge delivery list --state dead', send again with 'drawbridge delivery replay'.",
        ),
      );
    if (parked > 0)
      findings.push(
        warning(
          'breakers',
          `${parked} partners get no messages for now`,
          "Look with 'drawbridge peer list': they failed, or are over their rate. It goes on by itself.",
        ),
      );
    if (contentShut > 0)
      findings.push(
        warning(
          'files of partners',
          `${contentShut} partners do not show theirs`,
          "Look with 'drawbridge peer list': their files did not answer, and are asked for again by themselves.",
        ),
      );
    if (sharesShut > 0)
      findings.push(
        warning(
          'received shares',
          `${sharesShut} do not show their content`,
          'Their servers may show files of a third server that does not answer. They are asked again automatically.',
        ),
      );
    if (paused > 0)
      findings.push(
        warning(
          'paused',
          `${paused} partners`,
          "Somebody has paused them: 'drawbridge peer list' says whom.",
        ),
      );
    return findings;
  },
};

function ageFinding(
  open: number,
  waiting: readonly { readonly host: string; readonly seconds: number }[],
): Finding {
  const [oldest] = waiting;
  if (!oldest) return ok('waiting', 'nothing');
  const age =
    oldest.seconds < HOUR_S
      ? `${Math.round(oldest.seconds / 60)} min`
      : `${Math.round(oldest.seconds / HOUR_S)} h`;
  const seen = `${open} messages, the oldest for ${age}`;
  const advice = `They wait for ${waiting.map(({ host }) => host).join(', ')}: see 'drawbridge peer show HOST', and whether workers run.`;
  if (oldest.seconds > DAY_S) return failed('waiting', seen, advice);
  return oldest.seconds > HOUR_S ? warning('waiting', seen, advice) : ok('waiting', seen);
}
