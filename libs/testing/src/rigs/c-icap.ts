import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { freePort } from './free-port';
import { eventually } from '../waiting';

const MODULES = '/usr/lib/x86_64-linux-gnu/c_icap';

/** Debian's c-icap with services that find viruses (with clamd), echo contents, and change pages. */
export interface TestIcap {
  /** Address for SCANNER. */
  address(service: IcapService): string;
  stop(): Promise<void>;
}

/** `whole` returns the content itself if there is no finding. */
export type IcapService = 'avscan' | 'whole' | 'echo' | 'ex206';

export async function startIcap(clamdPort: number): Promise<TestIcap> {
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-icap-'));
  const [port, file] = [await freePort(), join(directory, 'c-icap.conf')];
  const lines = [
    ...[`PidFile ${directory}/pid`, `CommandsSocket ${directory}/ctl`, `Port 127.0.0.1:${port}`],
    ...[`TmpDir ${directory}`, `ServerLog ${directory}/server.log`, `AccessLog ${directory}/access.log`],
    ...['StartServers 1', 'MaxServers 1', 'MinSpareThreads 2', 'MaxSpareThreads 4', 'ThreadsPerChild 4'],
    ...[`ModulesDir ${MODULES}`, `ServicesDir ${MODULES}`, 'TemplateDir /usr/share/c_icap/templates/'],
    ...['LoadMagicFile /etc/c-icap/c-icap.magic', 'Timeout 30', 'DebugLevel 0'],
    ...['Service echo srv_echo.so', 'Service ex206 srv_ex206.so', 'Service antivirus_module virus_scan.so'],
    'ServiceAlias avscan virus_scan?allow204=on&sizelimit=off&mode=simple',
    'ServiceAlias whole virus_scan?allow204=off&sizelimit=off&mode=simple',
    'virus_scan.ScanFileTypes TEXT DATA EXECUTABLE ARCHIVE GIF JPEG MSOFFICE',
    ...['virus_scan.SendPercentData 5', 'virus_scan.StartSendPercentDataAfter 2M'],
    ...['virus_scan.MaxObjectSize 50M', 'virus_scan.DefaultEngine clamd', 'Module common clamd_mod.so'],
    ...['clamd_mod.ClamdHost 127.0.0.1', `clamd_mod.ClamdPort ${clamdPort}`, ''],
  ];
  writeFileSync(file, lines.join('\n'));
  const child = spawn('c-icap', ['-N', '-f', file], { stdio: 'ignore' });
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const exit = new Promise<void>((ended) => child.once('close', () => ended()));
  await eventually('the start of c-icap', async () => {
    if (failure) throw failure;
    const socket = connect(port, '127.0.0.1');
    return once(socket, 'connect')
      .then(() => true)
      .catch(() => false)
      .finally(() => socket.destroy());
  });
  return {
    address: (service) => `icap://127.0.0.1:${port}/${service}`,
    stop: async () => {
      child.kill('SIGTERM');
      await exit;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
