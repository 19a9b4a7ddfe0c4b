// What the user was granted or denied of making databases.
// params: actions
// returns: access, action
// mode: write
// uses: none
SHOW USER PRIVILEGES YIELD access, action
WHERE action IN $actions
RETURN access, action
ORDER BY access, action
