; TypeScript only; ecmascript.scm has the rest.
(abstract_class_declaration name: (_) @name) @definition.class
(function_signature name: (_) @name) @definition.function
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(enum_body (property_identifier) @name @definition.enum_member)
(enum_body (enum_assignment name: (_) @name) @definition.enum_member)
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.module
(public_field_definition name: (_) @name value: (arrow_function body: (_) @body)) @definition.method
(public_field_definition name: (_) @name) @definition.property
(interface_body (property_signature name: (_) @name) @definition.property)
(interface_body (method_signature name: (_) @name) @definition.method)
(class_body (method_signature name: (_) @name) @definition.method)
(construct_signature "new" @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(method_definition parameters: (formal_parameters (required_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name) @definition.property))
(method_definition parameters: (formal_parameters (optional_parameter (accessibility_modifier) pattern: (identifier) @name) @definition.property))
(statement_block (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant) @exported))
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))

(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(required_parameter pattern: (identifier) @local type: (type_annotation (_) @local.type))
(optional_parameter pattern: (identifier) @local type: (type_annotation (_) @local.type))
(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @local @local.member) type: (type_annotation (_) @local.type))
(required_parameter pattern: (object_pattern (pair_pattern key: (property_identifier) @local.key @local.member value: (identifier) @local)) type: (type_annotation (_) @local.type))
(variable_declarator name: (identifier) @local type: (type_annotation (_) @local.type))
(type_parameter name: (type_identifier) @local)
[(class_declaration) (abstract_class_declaration) (interface_declaration) (type_alias_declaration) (function_signature) (method_signature) (function_type)] @scope

(extends_clause value: (identifier) @name) @reference.extends
(extends_clause value: (member_expression object: (_) @receiver property: (property_identifier) @name)) @reference.extends
(extends_type_clause type: (type_identifier) @name) @reference.extends
(extends_type_clause type: (generic_type name: (type_identifier) @name)) @reference.extends
(implements_clause (type_identifier) @name) @reference.implements
(implements_clause (generic_type name: (type_identifier) @name)) @reference.implements
(nested_type_identifier module: (_) @receiver name: (type_identifier) @name) @reference.usage
(type_identifier) @name @reference.usage
(type_query (identifier) @name @reference.usage)
(as_expression (identifier) @name @reference.usage)
(satisfies_expression (identifier) @name @reference.usage)
(non_null_expression (identifier) @name @reference.usage)
