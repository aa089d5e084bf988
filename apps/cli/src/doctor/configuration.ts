import { misspeltVariables, type Config } from '#platform';
import { judgeConnections, judgeOperation, judgeSecrets, judgeStorage } from './configuration-details';
import { failed, ok, warning, type Check, type Finding } from './finding';
import { isWithin, networkOfName } from './networks';

/** Checks for contradictory or dangerous values. */
export const CONFIGURATION_CHECK: Check = {
  name: 'configuration',
  look: async ({ config }) => {
    const findings = [...misspelt(), ...judge(config)];
    return findings.length > 0 ? findings : [ok('values', 'no contradictions')];
  },
};

/** Problems of a configuration with valid values only. */
export function judge(config: Config): Finding[] {
  const judges = [
    ...[publicAddress, proxies, partners],
    ...[judgeStorage, judgeConnections, judgeSecrets, judgeOperation],
  ];
  return judges.flatMap((about) => about(config));
}

const misspelt = (): Finding[] =>
  misspeltVariables().map(({ written, meant }) =>
    warning(
      written,
      'has no effect: it is no variable of Drawbridge',
      `Perhaps ${meant} is meant: rename it.`,
    ),
  );

function publicAddress({ PUBLIC_URL, HOST }: Config): Finding[] {
  if (PUBLIC_URL === undefined)
    return [
      warning(
        'PUBLIC_URL',
        `not set: made of HOST ${HOST} and PORT`,
        'Set it to the address that clients and partners call: links and shares carry it.',
      ),
    ];
  const { protocol, hostname } = new URL(PUBLIC_URL);
  if (protocol === 'https:') return [];
  const seen = `${PUBLIC_URL} is http`;
  return networkOfName(hostname) === 'public'
    ? [
        failed(
          'PUBLIC_URL',
          seen,
          'Put TLS in front and make it https: others on the network path can read passwords and contents, and partners refuse http.',
        ),
      ]
    : [warning('PUBLIC_URL', seen, 'Good for trying on one network only: partners refuse http.')];
}

function proxies({ PUBLIC_URL, TRUSTED_PROXIES }: Config): Finding[] {
  if (TRUSTED_PROXIES.some(([, bits]) => bits === 0))
    return [
      failed(
        'TRUSTED_PROXIES',
        'names all addresses',
        'Name exactly the proxies: anybody can pretend to be any address now, and no limit holds.',
      ),
    ];
  if (PUBLIC_URL?.startsWith('https:') && TRUSTED_PROXIES.length === 0)
    return [
      warning(
        'TRUSTED_PROXIES',
        'empty, behind an https PUBLIC_URL',
        'Name the proxy that ends TLS: without it all clients count as one address, and limit each other.',
      ),
    ];
  return [];
}

const METADATA = '169.254.169.254';

function partners({
  FEDERATION_ALLOW_HTTP,
  FEDERATION_ALLOW_ADDRESSES: ranges,
  PUBLIC_URL,
}: Config): Finding[] {
  const findings: Finding[] = [];
  if (FEDERATION_ALLOW_HTTP && ranges.length === 0)
    findings.push(
      warning(
        'FEDERATION_ALLOW_HTTP',
        'true, without FEDERATION_ALLOW_ADDRESSES',
        'It has no effect without addresses: set it to false.',
      ),
    );
  else if (FEDERATION_ALLOW_HTTP)
    findings.push(
      warning(
        'FEDERATION_ALLOW_HTTP',
        'true',
        'Others on the network path can read contents and secrets: set it to false, except for tests.',
      ),
    );
  if (ranges.some((range) => isWithin(range, METADATA)))
    findings.push(
      failed(
        'FEDERATION_ALLOW_ADDRESSES',
        `allows ${METADATA}`,
        'Name the partners only: services of the platform give out credentials there.',
      ),
    );
  if (PUBLIC_URL?.startsWith('https:') && ranges.some((range) => isWithin(range, '127.0.0.1')))
    findings.push(
      warning(
        'FEDERATION_ALLOW_ADDRESSES',
        'allows this machine itself',
        'Remove loopback: a partner could make us call services that listen for this machine only.',
      ),
    );
  return findings;
}
