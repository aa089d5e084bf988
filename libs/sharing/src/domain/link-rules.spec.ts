import { grantedThroughLink } from './link-rules';
import { policyFrom } from './policy';

const initiator = { enabled: true, groups: ['staff'] };
const granted = (settings: Record<string, string>, whose: typeof initiator | undefined = initiator) =>
  grantedThroughLink(policyFrom(new Map(Object.entries(settings))), whose);

describe('the rights of a link under the current policy', () => {
  it('are all its permissions, or those without writing while public upload is off', () => {
    expect(granted({})).toBe(31);
    expect(granted({ 'core/shareapi_allow_public_upload': 'no' })).toBe(17);
  });

  it('are none while links or sharing are off', () => {
    expect(granted({ 'core/shareapi_allow_links': 'no' })).toBe('links-off');
    expect(granted({ 'core/shareapi_enabled': 'no' })).toBe('links-off');
  });

  it('are none once its creator may not share', () => {
    const excluded = {
      'core/shareapi_exclude_groups': 'yes',
      'core/shareapi_exclude_groups_list': '["staff"]',
    };
    expect(granted(excluded)).toBe('initiator-barred');
    expect(granted(excluded, { enabled: true, groups: [] })).toBe(31);
    expect(granted({}, { ...initiator, enabled: false })).toBe('initiator-barred');
    expect(grantedThroughLink(policyFrom(new Map()), undefined)).toBe('initiator-barred');
  });
});
