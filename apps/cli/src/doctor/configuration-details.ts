import { weakAdminPassword } from '#identity';
import { readEncryptionKey, type Config } from '#platform';
import { failed, warning, type Finding } from './finding';
import { networkOfName, type Network } from './networks';

/** Contradictions in the configuration of the blob store. */
export function judgeStorage({
  BLOB_STORE,
  S3_ENDPOINT,
  S3_ACCESS_KEY_ID,
  S3_SECRET_ACCESS_KEY,
}: Config): Finding[] {
  const isBucket = BLOB_STORE?.in === 'bucket';
  if (!isBucket && (S3_ENDPOINT || S3_ACCESS_KEY_ID || S3_SECRET_ACCESS_KEY))
    return [
      warning(
        'BLOB_STORE',
        'a directory, with S3_ variables set',
        'Set BLOB_STORE=s3://bucket/prefix, or remove them.',
      ),
    ];
  return isBucket &&
    S3_ENDPOINT?.startsWith('http:') &&
    networkOfName(new URL(S3_ENDPOINT).hostname) !== 'this machine'
    ? [warning('S3_ENDPOINT', 'is http', 'Contents go over the network as they are: use https.')]
    : [];
}

/** Whether others can read the traffic to this address. */
const unencryptedNetwork = (url: string | undefined, open: readonly string[]): Network | undefined => {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  const network = open.includes(protocol) ? networkOfName(hostname || 'localhost') : 'this machine';
  return network === 'this machine' ? undefined : network;
};

/** Connections of our own that others can read. */
export function judgeConnections({ DATABASE_URL, REDIS_URL, REDIS_SENTINELS, SMTP_URL }: Config): Finding[] {
  const findings: Finding[] = [];
  const databaseMode =
    DATABASE_URL && URL.canParse(DATABASE_URL) ? new URL(DATABASE_URL).searchParams.get('sslmode') : null;
  if (
    unencryptedNetwork(DATABASE_URL, ['postgres:', 'postgresql:']) &&
    (databaseMode === null || databaseMode === 'disable')
  )
    findings.push(
      warning(
        'DATABASE_URL',
        'without TLS, to another machine',
        'Add ?sslmode=verify-full if others can read the network traffic.',
      ),
    );
  const isRedisOpen = REDIS_SENTINELS
    ? REDIS_URL?.startsWith('redis:') &&
      REDIS_SENTINELS.some(({ host }) => networkOfName(host) !== 'this machine')
    : unencryptedNetwork(REDIS_URL, ['redis:']) !== undefined;
  if (isRedisOpen)
    findings.push(
      warning('REDIS_URL', 'without TLS, to another machine', 'Use rediss:// where others are on the way.'),
    );
  if (unencryptedNetwork(SMTP_URL, ['smtp:']) && new URL(SMTP_URL!).searchParams.get('requireTLS') !== 'true')
    findings.push(
      warning('SMTP_URL', 'takes TLS only where it is offered', 'Use smtps://, or add ?requireTLS=true.'),
    );
  return findings;
}

/** Keys and passwords that are weak. */
export function judgeSecrets(config: Config): Finding[] {
  const { ENCRYPTION_KEY, ENCRYPTION_KEY_FILE, ENCRYPTION_KEY_PREVIOUS } = config;
  const findings: Finding[] = [];
  if (ENCRYPTION_KEY || ENCRYPTION_KEY_FILE)
    try {
      const key = readEncryptionKey(config);
      if (new Set(key).size < 8)
        findings.push(
          failed(
            'ENCRYPTION_KEY',
            'is hardly random',
            'Make one with `openssl rand -hex 32`, and change it (docs/operations/keys.md).',
          ),
        );
    } catch (error) {
      findings.push(
        failed('ENCRYPTION_KEY', (error as Error).message, 'Nothing that is sealed can be opened so.'),
      );
    }
  if (ENCRYPTION_KEY !== undefined && ENCRYPTION_KEY === ENCRYPTION_KEY_PREVIOUS)
    findings.push(
      warning('ENCRYPTION_KEY_PREVIOUS', 'is the same as ENCRYPTION_KEY', 'Remove it, or set the other one.'),
    );
  const weak = weakAdminPassword(config);
  if (weak) findings.push(warning('ADMIN_PASSWORD', weak.fault, weak.advice));
  return findings;
}

/** Settings that make operation harder or riskier than necessary. */
export function judgeOperation({ LOG_LEVEL, METRICS_PORT, HOST, CORS_ORIGINS }: Config): Finding[] {
  const findings: Finding[] = [];
  if (['silent', 'fatal'].includes(LOG_LEVEL))
    findings.push(warning('LOG_LEVEL', LOG_LEVEL, 'Failures go unseen: use info, or warn.'));
  if (['debug', 'trace'].includes(LOG_LEVEL))
    findings.push(
      warning(
        'LOG_LEVEL',
        LOG_LEVEL,
        'Logs grow fast, and contain more about people than operation needs: use info.',
      ),
    );
  if (METRICS_PORT !== undefined && ['0.0.0.0', '::'].includes(HOST))
    findings.push(
      warning(
        'METRICS_PORT',
        `open at all addresses of this machine`,
        'Let only your monitoring reach it: it needs no sign-in.',
      ),
    );
  if (CORS_ORIGINS.some((origin) => origin.startsWith('http:')))
    findings.push(
      warning(
        'CORS_ORIGINS',
        'names an http origin',
        'Others on the network path can read what visitors of that page can read.',
      ),
    );
  return findings;
}
