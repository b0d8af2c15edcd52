// The OAuth 2.0 endpoints of well-known services, as their own documentation gives them. A preset fills in the form; whoever uses
// it can change everything. Millrace always sends a PKCE challenge (S256), which services that do not know it ignore.

export interface OAuthPreset {
  id: string
  service: string
  /** Its query holds the parameters that the service wants besides those of the standard. */
  authorizationUrl: string
  tokenUrl: string
  /** To begin with; which ones are needed depends on the calls. Some services separate them by commas. */
  scopes: string
  clientAuth: 'basic' | 'body'
  hosts: string[]
  /** A part of the URLs and hosts that is different for every customer, written {part} there. */
  part?: { name: string; label: string; example: string }
  /** Where the service has people register a client. */
  register: string
}

export const OAUTH_PRESETS: readonly OAuthPreset[] = [
  {
    id: 'airtable',
    service: 'Airtable',
    authorizationUrl: 'https://airtable.com/oauth2/v1/authorize',
    tokenUrl: 'https://airtable.com/oauth2/v1/token',
    scopes: 'data.records:read data.records:write schema.bases:read',
    clientAuth: 'basic',
    hosts: ['api.airtable.com'],
    register: 'airtable.com/create/oauth',
  },
  {
    id: 'asana',
    service: 'Asana',
    authorizationUrl: 'https://app.asana.com/-/oauth_authorize',
    tokenUrl: 'https://app.asana.com/-/oauth_token',
    scopes: 'default',
    clientAuth: 'body',
    hosts: ['app.asana.com'],
    register: 'app.asana.com/0/my-apps',
  },
  {
    id: 'atlassian',
    service: 'Atlassian (Jira, Confluence)',
    authorizationUrl: 'https://auth.atlassian.com/authorize?audience=api.atlassian.com&prompt=consent',
    tokenUrl: 'https://auth.atlassian.com/oauth/token',
    scopes: 'read:jira-work write:jira-work offline_access',
    clientAuth: 'body',
    hosts: ['api.atlassian.com'],
    register: 'developer.atlassian.com/console/myapps',
  },
  {
    id: 'box',
    service: 'Box',
    authorizationUrl: 'https://account.box.com/api/oauth2/authorize',
    tokenUrl: 'https://api.box.com/oauth2/token',
    scopes: '',
    clientAuth: 'body',
    hosts: ['api.box.com', 'upload.box.com'],
    register: 'app.box.com/developers/console',
  },
  {
    id: 'discord',
    service: 'Discord',
    authorizationUrl: 'https://discord.com/oauth2/authorize',
    tokenUrl: 'https://discord.com/api/oauth2/token',
    scopes: 'identify guilds',
    clientAuth: 'basic',
    hosts: ['discord.com'],
    register: 'discord.com/developers/applications',
  },
  {
    id: 'dropbox',
    service: 'Dropbox',
    authorizationUrl: 'https://www.dropbox.com/oauth2/authorize?token_access_type=offline',
    tokenUrl: 'https://api.dropboxapi.com/oauth2/token',
    scopes: 'files.metadata.read files.content.read files.content.write',
    clientAuth: 'basic',
    hosts: ['*.dropboxapi.com'],
    register: 'www.dropbox.com/developers/apps',
  },
  {
    id: 'github',
    service: 'GitHub',
    authorizationUrl: 'https://github.com/login/oauth/authorize',
    tokenUrl: 'https://github.com/login/oauth/access_token',
    scopes: 'repo read:user',
    clientAuth: 'body',
    hosts: ['api.github.com'],
    register: 'github.com/settings/developers',
  },
  {
    id: 'gitlab',
    service: 'GitLab',
    authorizationUrl: 'https://gitlab.com/oauth/authorize',
    tokenUrl: 'https://gitlab.com/oauth/token',
    scopes: 'api',
    clientAuth: 'body',
    hosts: ['gitlab.com'],
    register: 'gitlab.com/-/user_settings/applications',
  },
  {
    id: 'google',
    service: 'Google (Sheets, Drive, Calendar, Gmail)',
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&prompt=consent',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    scopes: 'https://www.googleapis.com/auth/spreadsheets',
    clientAuth: 'body',
    hosts: ['*.googleapis.com'],
    register: 'console.cloud.google.com/apis/credentials',
  },
  {
    id: 'hubspot',
    service: 'HubSpot',
    authorizationUrl: 'https://app.hubspot.com/oauth/authorize',
    tokenUrl: 'https://api.hubapi.com/oauth/v1/token',
    scopes: 'oauth crm.objects.contacts.read crm.objects.contacts.write',
    clientAuth: 'body',
    hosts: ['api.hubapi.com'],
    register: 'developers.hubspot.com',
  },
  {
    id: 'linear',
    service: 'Linear',
    authorizationUrl: 'https://linear.app/oauth/authorize',
    tokenUrl: 'https://api.linear.app/oauth/token',
    scopes: 'read,write',
    clientAuth: 'body',
    hosts: ['api.linear.app'],
    register: 'linear.app/settings/api',
  },
  {
    id: 'microsoft',
    service: 'Microsoft (Graph, Outlook, Teams)',
    authorizationUrl: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize',
    tokenUrl: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
    scopes: 'offline_access User.Read',
    clientAuth: 'body',
    hosts: ['graph.microsoft.com'],
    part: { name: 'tenant', label: 'Tenant', example: 'common' },
    register: 'entra.microsoft.com',
  },
  {
    id: 'notion',
    service: 'Notion',
    authorizationUrl: 'https://api.notion.com/v1/oauth/authorize?owner=user',
    tokenUrl: 'https://api.notion.com/v1/oauth/token',
    scopes: '',
    clientAuth: 'basic',
    hosts: ['api.notion.com'],
    register: 'www.notion.so/my-integrations',
  },
  {
    id: 'quickbooks',
    service: 'QuickBooks (Intuit)',
    authorizationUrl: 'https://appcenter.intuit.com/connect/oauth2',
    tokenUrl: 'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
    scopes: 'com.intuit.quickbooks.accounting',
    clientAuth: 'basic',
    hosts: ['quickbooks.api.intuit.com', 'sandbox-quickbooks.api.intuit.com'],
    register: 'developer.intuit.com/app/developer/dashboard',
  },
  {
    id: 'salesforce',
    service: 'Salesforce',
    authorizationUrl: 'https://login.salesforce.com/services/oauth2/authorize',
    tokenUrl: 'https://login.salesforce.com/services/oauth2/token',
    scopes: 'api refresh_token',
    clientAuth: 'body',
    hosts: ['*.salesforce.com'],
    register: 'login.salesforce.com',
  },
  {
    id: 'shopify',
    service: 'Shopify',
    authorizationUrl: 'https://{shop}.myshopify.com/admin/oauth/authorize',
    tokenUrl: 'https://{shop}.myshopify.com/admin/oauth/access_token',
    scopes: 'read_orders,read_products',
    clientAuth: 'body',
    hosts: ['{shop}.myshopify.com'],
    part: { name: 'shop', label: 'Shop', example: 'my-shop' },
    register: 'partners.shopify.com',
  },
  {
    id: 'slack',
    service: 'Slack',
    authorizationUrl: 'https://slack.com/oauth/v2/authorize',
    tokenUrl: 'https://slack.com/api/oauth.v2.access',
    scopes: 'chat:write,channels:read',
    clientAuth: 'body',
    hosts: ['slack.com'],
    register: 'api.slack.com/apps',
  },
  {
    id: 'spotify',
    service: 'Spotify',
    authorizationUrl: 'https://accounts.spotify.com/authorize',
    tokenUrl: 'https://accounts.spotify.com/api/token',
    scopes: 'user-read-private playlist-modify-private',
    clientAuth: 'basic',
    hosts: ['api.spotify.com'],
    register: 'developer.spotify.com/dashboard',
  },
  {
    id: 'xero',
    service: 'Xero',
    authorizationUrl: 'https://login.xero.com/identity/connect/authorize',
    tokenUrl: 'https://identity.xero.com/connect/token',
    scopes: 'offline_access accounting.transactions accounting.contacts',
    clientAuth: 'basic',
    hosts: ['api.xero.com'],
    register: 'developer.xero.com/app/manage',
  },
  {
    id: 'zoom',
    service: 'Zoom',
    authorizationUrl: 'https://zoom.us/oauth/authorize',
    tokenUrl: 'https://zoom.us/oauth/token',
    scopes: '',
    clientAuth: 'basic',
    hosts: ['api.zoom.us'],
    register: 'marketplace.zoom.us/develop/create',
  },
]

/** What a customer's part may hold: nothing that would end the host name or the path segment. */
export const PART = /^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$/

/** The fields and hosts of the form. `part` is left out where the preset asks for none. */
export function fromPreset(preset: OAuthPreset, part = ''): { fields: Record<string, string>; hosts: string[] } {
  const filled = (text: string) => (preset.part && PART.test(part) ? text.replace(`{${preset.part.name}}`, part) : text)
  const { authorizationUrl, tokenUrl, scopes, clientAuth, hosts } = preset
  return {
    fields: {
      grant: 'authorization_code',
      authorizationUrl: filled(authorizationUrl),
      tokenUrl: filled(tokenUrl),
      scopes,
      clientAuth,
    },
    hosts: hosts.map(filled),
  }
}
