import { readConfig } from '#platform';
import { SCANNER_CHECK } from '../../apps/cli/src/doctor/scanner';
import { Instance } from '../../apps/cli/src/instance';
import { EICAR_FINDING, startClamd, type TestClamd } from '../../libs/testing/src/rigs/clamd';
import { describeWith } from '../clients/programs';

const look = (env: Record<string, string>) => SCANNER_CHECK.look(new Instance(readConfig(env), false));

describeWith(['clamd'], 'the doctor', () => {
  let clamd: TestClamd;
  beforeAll(async () => {
    clamd = await startClamd();
  });
  afterAll(() => clamd?.stop());

  it('sends the test content to a scanner, and reports a missing answer', async () => {
    expect(await look({ SCANNER: clamd.address })).toEqual([
      { subject: 'SCANNER', state: 'ok', seen: expect.stringMatching(/^ClamAV \d/) },
      { subject: 'test content', state: 'ok', seen: `found as ${EICAR_FINDING}` },
    ]);
    expect(await look({})).toMatchObject([{ state: 'ok', seen: 'none: uploads are not scanned' }]);
    await clamd.kill();
    expect(await look({ SCANNER: clamd.address })).toMatchObject([
      { subject: 'SCANNER', state: 'failed', seen: expect.stringContaining('ECONNREFUSED') },
    ]);
  });
});
