// Writes the captured parts of docs/operations/observability.md: the spec that compares them runs once with permission to
// write.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const jest = join(root, 'node_modules/.bin/jest');
const { status } = spawnSync(process.execPath, [jest, '--ci', '--forceExit', 'test/observability/captured'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, CAPTURE: 'write', NODE_OPTIONS: '--experimental-vm-modules' },
});
process.exitCode = status ?? 1;
