// `npm run jest -- PATH...` and `npm run test:unit`: Jest with the flag that NestJS needs, because NestJS is published only as ES
// modules.
import { spawnSync } from 'node:child_process';

const flags = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`;
const { status } = spawnSync(process.execPath, ['node_modules/.bin/jest', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, NODE_OPTIONS: flags.trim() },
});
process.exitCode = status ?? 1;
