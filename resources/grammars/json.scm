; Keys; how deep and how many stands in languages.ts.
(pair key: (string (string_content) @name) value: (object)? @body) @definition.property
