; JavaScript and JSX only; ecmascript.scm has the rest.
(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @definition.method
(field_definition property: (_) @name) @definition.property
(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local))
(class_heritage (identifier) @name) @reference.extends
(class_heritage (member_expression object: (_) @receiver property: (property_identifier) @name)) @reference.extends
(jsx_opening_element name: (identifier) @name) @reference.usage
(jsx_self_closing_element name: (identifier) @name) @reference.usage
(jsx_expression (identifier) @name @reference.usage)
