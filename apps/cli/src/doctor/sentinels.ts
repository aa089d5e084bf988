import type { SentinelFacts } from '#queue';
import { failed, ok, warning, type Finding } from './finding';

/** Findings about sentinels, by their own answers. @param name of the master in their configuration */
export function sentinelFindings(sentinels: readonly SentinelFacts[], name: string): Finding[] {
  const silent = sentinels.filter(({ failure }) => failure !== undefined);
  const seen = silent.map(({ address, failure }) => `${address} (${failure})`).join(', ');
  if (silent.length === sentinels.length)
    return [
      failed(
        'sentinels',
        `none answers: ${seen}`,
        'Start them, or correct REDIS_SENTINELS and REDIS_SENTINEL_PASSWORD; TLS depends on REDIS_URL.',
      ),
    ];
  const answers =
    silent.length === 0
      ? ok('sentinels', `${sentinels.length} answer`)
      : warning('sentinels', `no answer from ${seen}`, 'Start them, or correct REDIS_SENTINELS.');
  const obstacle = sentinels.find((one) => one.obstacle !== undefined)?.obstacle;
  return [
    answers,
    masterFinding(sentinels, name),
    ...(obstacle === undefined
      ? []
      : [warning('failover', `impossible (${obstacle})`, 'Start more sentinels, or correct their quorum.')]),
  ];
}

function masterFinding(sentinels: readonly SentinelFacts[], name: string): Finding {
  const masters = [...new Set(sentinels.flatMap(({ master }) => master ?? []))];
  if (masters.length === 0)
    return failed('master', `no sentinel knows ${name}`, 'Correct REDIS_SENTINEL_MASTER.');
  return masters.length === 1
    ? ok('master', `${name} is ${masters[0]}`)
    : warning(
        'master',
        `the sentinels name ${masters.join(' and ')}`,
        'Ask again: if it remains, they do not reach each other.',
      );
}
